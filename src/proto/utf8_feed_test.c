/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/utf8_feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"

/* The oracle: by trying all continuations that matter, can these bytes be the start of valid text?
 */
static bool is_start_of_text(const uint8_t *bytes, size_t len)
{
    uint8_t longer[8];
    for (size_t i = 0; i < len; i++) {
        longer[i] = bytes[i];
    }
    if (tb_utf8_valid((struct tb_str){(const char *)bytes, len})) {
        return true;
    }
    for (unsigned next = 0x80; next <= 0xbf; next++) {
        for (size_t more = 1; more <= 3; more++) {
            longer[len] = (uint8_t)next;
            longer[len + 1] = 0x80;
            longer[len + 2] = 0x80;
            if (tb_utf8_valid((struct tb_str){(const char *)longer, len + more})) {
                return true;
            }
        }
    }
    return false;
}

static void check(const uint8_t *bytes, size_t len)
{
    for (size_t cut = 0; cut <= len; cut++) {
        struct tb_utf8_feed feed = {{0}, 0};
        bool good = tb_utf8_feed(&feed, (struct tb_str){(const char *)bytes, cut}) &&
                    tb_utf8_feed(&feed, (struct tb_str){(const char *)bytes + cut, len - cut});
        assert_int_equal(good, is_start_of_text(bytes, len));
        if (good) {
            assert_int_equal(tb_utf8_feed_whole(&feed),
                             tb_utf8_valid((struct tb_str){(const char *)bytes, len}));
        }
    }
}

static void every_pair_of_bytes_is_judged_at_once_and_however_it_is_cut(void **state)
{
    (void)state;
    for (unsigned pair = 0; pair <= UINT16_MAX; pair++) {
        uint8_t bytes[2] = {(uint8_t)(pair >> 8), (uint8_t)pair};
        check(bytes, sizeof(bytes));
    }
}

static void bounds_of_each_byte_hold_in_longer_characters(void **state)
{
    (void)state;
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                                    0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff};
    const size_t count = sizeof(edges);
    for (size_t i = 0; i < count * count * count * count; i++) {
        uint8_t bytes[4] = {edges[i % count], edges[i / count % count],
                            edges[i / count / count % count], edges[i / count / count / count]};
        check(bytes, 4);
    }
}

static void an_empty_piece_changes_nothing(void **state)
{
    (void)state;
    struct tb_utf8_feed feed = {{0}, 0};
    assert_true(tb_utf8_feed(&feed, (struct tb_str){NULL, 0}));
    assert_true(tb_utf8_feed_whole(&feed));
    assert_true(tb_utf8_feed(&feed, TB_STR("\xe2\x82")));
    assert_true(tb_utf8_feed(&feed, (struct tb_str){NULL, 0}));
    assert_false(tb_utf8_feed_whole(&feed));
    assert_true(tb_utf8_feed(&feed, TB_STR("\xac")));
    assert_true(tb_utf8_feed_whole(&feed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_bytes_is_judged_at_once_and_however_it_is_cut),
        cmocka_unit_test(bounds_of_each_byte_hold_in_longer_characters),
        cmocka_unit_test(an_empty_piece_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
