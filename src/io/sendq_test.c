/* SPDX-License-Identifier: Apache-2.0 */
#include "io/sendq.h"

#include <stdlib.h>

#include "base/buf.h"
#include "io/testing.h"

/* The chunks joined must equal the model. */
static void check(const struct tb_sendq *queue, const struct tb_buf *model)
{
    uv_buf_t bufs[1024];
    unsigned count = tb_sendq_peek(queue, bufs, TB_COUNT(bufs));
    size_t at = 0;
    for (unsigned i = 0; i < count; i++) {
        assert_true(bufs[i].len > 0);
        assert_true(at + bufs[i].len <= model->len);
        assert_memory_equal(bufs[i].base, model->data + at, bufs[i].len);
        at += bufs[i].len;
    }
    assert_int_equal(at, model->len);
    assert_int_equal(queue->bytes, model->len);
}

static void append_random(struct tb_sendq *queue, struct tb_buf *model, unsigned *seed)
{
    size_t len = (size_t)rand_r(seed) % (rand_r(seed) % 4 ? 600 : 9000) + 1;
    uint8_t *data = malloc(len);
    assert_non_null(data);
    for (size_t i = 0; i < len; i++) {
        data[i] = (uint8_t)rand_r(seed);
    }
    assert_int_equal(tb_buf_append(model, data, len), 0);
    if (rand_r(seed) % 2) {
        tb_sendq_append_take(queue, data, len);
    } else {
        tb_sendq_append(queue, (struct tb_str){(char *)data, len});
        free(data);
    }
}

static void any_mix_of_writes_and_partial_sends_keeps_the_order(void **state)
{
    (void)state;
    struct tb_sendq queue = {0};
    struct tb_buf model;
    tb_buf_init(&model, SIZE_MAX);
    unsigned seed = 11;
    for (int round = 0; round < 2000; round++) {
        append_random(&queue, &model, &seed);
        if (round % 3 == 0) {
            size_t len = (size_t)rand_r(&seed) % (queue.bytes + 1);
            tb_sendq_consume(&queue, len);
            tb_buf_consume(&model, len);
        }
        check(&queue, &model);
    }
    tb_sendq_consume(&queue, queue.bytes);
    assert_null(queue.first); /* an empty queue holds no memory */
    tb_sendq_fini(&queue);
    tb_buf_fini(&model);
}

static void small_writes_share_a_chunk(void **state)
{
    (void)state;
    struct tb_sendq queue = {0};
    for (int i = 0; i < 10; i++) {
        tb_sendq_append(&queue, TB_STR("small"));
    }
    tb_sendq_append(&queue, TB_STR(""));
    uv_buf_t bufs[2];
    assert_int_equal(tb_sendq_peek(&queue, bufs, 2), 1);
    assert_int_equal(bufs[0].len, 50);
    tb_sendq_fini(&queue);
    assert_int_equal(queue.bytes, 0);
}

static void chunks_move_from_the_front_of_one_queue_to_the_end_of_another(void **state)
{
    (void)state;
    struct tb_sendq from = {0};
    struct tb_sendq to = {0};
    tb_sendq_append_take(&from, (uint8_t *)tb_strdup("abc"), 3);
    tb_sendq_append_take(&from, (uint8_t *)tb_strdup("de"), 2);
    tb_sendq_append(&to, TB_STR("first"));
    tb_sendq_consume(&from, 1);
    tb_sendq_move(&to, &from, 1);
    assert_int_equal(from.bytes, 2);
    assert_int_equal(to.bytes, 7);
    tb_sendq_move(&to, &from, 5);
    assert_null(from.first);
    assert_int_equal(to.bytes, 9);
    uv_buf_t bufs[4];
    assert_int_equal(tb_sendq_peek(&to, bufs, 4), 3);
    assert_memory_equal(bufs[1].base, "bc", 2);
    /* The room behind "first" is no longer the end. */
    tb_sendq_append(&to, TB_STR("last"));
    assert_int_equal(tb_sendq_peek(&to, bufs, 4), 4);
    assert_memory_equal(bufs[3].base, "last", 4);
    tb_sendq_fini(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mix_of_writes_and_partial_sends_keeps_the_order),
        cmocka_unit_test(small_writes_share_a_chunk),
        cmocka_unit_test(chunks_move_from_the_front_of_one_queue_to_the_end_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
