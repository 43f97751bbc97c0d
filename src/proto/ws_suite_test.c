/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/id.h"
#include "proto/ws.h"

#include "support/ws_cases.h"

/* Runs tests/data/ws/cases.txt: each case in both roles, its bytes in one piece, one by one, and in
 * pieces of seven. */

enum {
    CASES_MIN = 200,
    START_MS = 1000,
};

static const size_t chops[] = {SIZE_MAX, 1, 7};

/* What should happen is ticked off while it happens. */
struct run {
    const struct tb_ws_case *one;
    enum tb_ws_role role;
    size_t chop;
    size_t next;    /* the outcome that is due */
    unsigned times; /* that it has come already */
    struct tb_ws *ws;
    int64_t now_ms;
};

static const char *const kind_names[] = {
    "a text", "a binary message", "a pong", "a sent ping", "a sent pong", "a sent close", "the end",
};

static void complain(const struct run *run, const char *what)
{
    fail_msg("%s (%s, pieces of %zd): %s", run->one->name,
             run->role == TB_WS_SERVER ? "server" : "client", (ssize_t)run->chop, what);
}

static void happened(struct run *run, enum tb_ws_outcome_kind kind, int code, struct tb_str payload)
{
    char words[160];
    if (run->next == run->one->outcome_count) {
        snprintf(words, sizeof(words), "%s (%d) after all was done", kind_names[kind], code);
        complain(run, words);
        return;
    }
    const struct tb_ws_outcome *due = &run->one->outcomes[run->next];
    bool same_payload = tb_str_eq(payload, tb_buf_str(&due->payload));
    bool payload_free = kind == TB_WS_SENT_CLOSE || (kind == TB_WS_OVER && !due->has_reason);
    if (kind != due->kind || code != due->code || (!payload_free && !same_payload)) {
        snprintf(words, sizeof(words), "%s (%d, %zu bytes) instead of %s (%d, %zu bytes)",
                 kind_names[kind], code, payload.len, kind_names[due->kind], due->code,
                 due->payload.len);
        complain(run, words);
    }
    run->times++;
    if (run->times == due->repeat) {
        run->next++;
        run->times = 0;
    }
}

/* Takes apart a frame of ours, which must be whole, final and in its shortest form. */
static int on_write(struct tb_str bytes, void *user)
{
    struct run *run = user;
    bool masked = run->role == TB_WS_CLIENT;
    uint8_t payload[125];
    assert_true(bytes.len >= 2);
    uint8_t first = (uint8_t)bytes.ptr[0];
    uint8_t second = (uint8_t)bytes.ptr[1];
    size_t len = second & 0x7f;
    size_t head = masked ? 6 : 2;
    assert_int_equal(first & 0xf0, 0x80);
    assert_int_equal(second >> 7, masked);
    assert_true(len <= sizeof(payload));
    assert_int_equal(bytes.len, head + len);
    for (size_t i = 0; i < len; i++) {
        uint8_t key = masked ? (uint8_t)bytes.ptr[2 + i % 4] : 0;
        payload[i] = (uint8_t)bytes.ptr[head + i] ^ key;
    }
    struct tb_str data = {(const char *)payload, len};
    switch (first & 0xf) {
    case 8:
        assert_true(len != 1);
        happened(run, TB_WS_SENT_CLOSE, len > 1 ? payload[0] << 8 | payload[1] : TB_WS_NO_STATUS,
                 tb_str_sub(data, 2, len));
        break;
    case 9:
        happened(run, TB_WS_SENT_PING, 0, data);
        break;
    case 10:
        happened(run, TB_WS_SENT_PONG, 0, data);
        break;
    default:
        complain(run, "sent a frame of another kind");
    }
    return 0;
}

static void on_message(struct tb_ws *ws, bool text, struct tb_str data, void *user)
{
    (void)ws;
    happened(user, text ? TB_WS_GOT_TEXT : TB_WS_GOT_BINARY, 0, data);
}

static void on_pong(struct tb_ws *ws, struct tb_str data, void *user)
{
    (void)ws;
    happened(user, TB_WS_GOT_PONG, 0, data);
}

static void on_close(struct tb_ws *ws, int code, struct tb_str reason, void *user)
{
    (void)ws;
    happened(user, TB_WS_OVER, code, reason);
}

static const struct tb_ws_ops ops = {on_write, on_message, on_pong, on_close};

/* Each piece in memory of its own size, so that the sanitizer sees a read beyond it. */
static void feed(struct run *run, struct tb_buf *wire)
{
    for (size_t at = 0; at < wire->len;) {
        size_t len = wire->len - at < run->chop ? wire->len - at : run->chop;
        char *piece = tb_memdup(wire->data + at, len);
        tb_ws_feed(run->ws, (struct tb_str){piece, len}, run->now_ms);
        tb_free(piece);
        at += len;
    }
    tb_buf_clear(wire);
}

static void act(struct run *run, const struct tb_ws_step *step)
{
    switch (step->kind) {
    case TB_WS_STEP_WAIT:
        run->now_ms += (int64_t)step->value;
        break;
    case TB_WS_STEP_CLOSE:
        assert_int_equal(tb_ws_close(run->ws, (int)step->value, TB_STR("bye")), 0);
        break;
    case TB_WS_STEP_PING:
        assert_int_equal(tb_ws_ping(run->ws, tb_buf_str(&step->payload)), 0);
        break;
    default:
        break;
    }
}

static bool ends(const struct tb_ws_case *one)
{
    return one->outcome_count > 0 && one->outcomes[one->outcome_count - 1].kind == TB_WS_OVER;
}

static void run_case(const struct tb_ws_case *one, enum tb_ws_role role, size_t chop)
{
    struct run run = {.one = one, .role = role, .chop = chop, .now_ms = START_MS};
    run.ws = tb_ws_new(role, &one->limits, &ops, &run);
    struct tb_buf wire;
    tb_buf_init(&wire, 16 << 20);
    for (size_t i = 0; i < one->step_count; i++) {
        const struct tb_ws_step *step = &one->steps[i];
        if (step->kind != TB_WS_STEP_FRAME) {
            feed(&run, &wire);
            act(&run, step);
            continue;
        }
        for (unsigned times = 0; times < step->repeat; times++) {
            tb_ws_step_wire(step, role, &wire);
        }
    }
    feed(&run, &wire);
    if (run.next < one->outcome_count) {
        char words[80];
        snprintf(words, sizeof(words), "%s (%d) did not come",
                 kind_names[one->outcomes[run.next].kind], one->outcomes[run.next].code);
        complain(&run, words);
    }
    if ((tb_ws_feed(run.ws, TB_STR(""), run.now_ms) == 0) == ends(one)) {
        complain(&run, "open or closed, against expectation");
    }
    tb_buf_fini(&wire);
    tb_ws_free(run.ws);
}

static void every_case_of_the_list_gives_what_it_should(void **state)
{
    (void)state;
    const char *root = getenv("TABARD_ROOT");
    struct tb_ws_cases cases;
    struct tb_err err;
    if (tb_ws_cases_load(root ? root : ".", &cases, &err) < 0) {
        fail_msg("%s", err.text);
    }
    size_t runs = 0;
    for (size_t i = 0; i < cases.count; i++) {
        for (size_t chop = 0; chop < TB_COUNT(chops); chop++) {
            run_case(&cases.cases[i], TB_WS_SERVER, chops[chop]);
            run_case(&cases.cases[i], TB_WS_CLIENT, chops[chop]);
            runs += 2;
        }
    }
    print_message("%zu WebSocket cases, %zu runs\n", cases.count, runs);
    assert_true(cases.count >= CASES_MIN);
    tb_ws_cases_fini(&cases);
}

static void no_two_cases_have_the_same_name(void **state)
{
    (void)state;
    const char *root = getenv("TABARD_ROOT");
    struct tb_ws_cases cases;
    assert_int_equal(tb_ws_cases_load(root ? root : ".", &cases, NULL), 0);
    for (size_t i = 0; i < cases.count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(cases.cases[i].name, cases.cases[j].name) == 0) {
                fail_msg("twice: %s", cases.cases[i].name);
            }
        }
    }
    tb_ws_cases_fini(&cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_of_the_list_gives_what_it_should),
        cmocka_unit_test(no_two_cases_have_the_same_name),
    };
    if (tb_id_init() < 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
