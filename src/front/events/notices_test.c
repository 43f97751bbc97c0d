/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/notices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

static struct tb_notice *make(const char *id, const char *data)
{
    return tb_notice_new(&(struct tb_notice_spec){
        .id = id,
        .type = "navigated",
        .wall_ms = 784111777123,
        .tenant = "t",
        .session = "browser-1",
        .session_id = "the-secret",
        .kind = "browser",
        .data = tb_str_of(data),
    });
}

static size_t add(struct tb_notices *notices, const char *id, const char *data)
{
    struct tb_notice *notice = make(id, data);
    size_t gone = tb_notices_add(notices, notice);
    tb_notice_unref(notice, "made");
    return gone;
}

static void a_notice_is_one_event_whose_data_is_its_json(void **state)
{
    (void)state;
    struct tb_notice *notice = make("b-7", "{\"url\":\"http://a/\"}");
    const char *json =
        "{\"id\":\"b-7\",\"type\":\"navigated\",\"time\":\"1994-11-06T08:49:37.123Z\","
        "\"tenant\":\"t\",\"sessionId\":\"browser-1\",\"kind\":\"browser\","
        "\"data\":{\"url\":\"http://a/\"}}";
    TB_AUTO(tb_free)
    char *text = tb_strdupf("event: navigated\nid: b-7\ndata: %s\n\n", json);
    assert_true(tb_str_eq_cstr(tb_notice_json(notice), json));
    assert_true(tb_str_eq_cstr(tb_notice_text(notice), text));
    tb_notice_unref(notice, "made");
}

static void what_is_not_known_is_null(void **state)
{
    (void)state;
    struct tb_notice *notice = tb_notice_new(&(struct tb_notice_spec){.id = "b-1",
                                                                      .type = "x",
                                                                      .tenant = "t",
                                                                      .session = "",
                                                                      .session_id = "",
                                                                      .data = TB_STR("{}")});
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_notice_json(notice));
    assert_true(tb_json_is_null(tb_json_get(json, "sessionId")));
    assert_true(tb_json_is_null(tb_json_get(json, "kind")));
    tb_notice_unref(notice, "made");
}

static void over_the_number_the_oldest_go(void **state)
{
    struct tb_notices notices;
    (void)state;
    tb_notices_init(&notices, 3, SIZE_MAX);
    for (int i = 1; i <= 8; i++) {
        char id[16];
        snprintf(id, sizeof(id), "b-%d", i);
        assert_int_equal(add(&notices, id, "{}"), i > 3);
    }
    assert_int_equal(notices.first, 6);
    assert_int_equal(notices.next, 9);
    assert_string_equal(tb_notices_at(&notices, 6)->id, "b-6");
    assert_string_equal(tb_notices_at(&notices, 8)->id, "b-8");
    tb_notices_fini(&notices);
}

static void over_the_bytes_as_many_go_as_must_but_the_newest_stays(void **state)
{
    struct tb_notices notices;
    char large[3000];
    (void)state;
    snprintf(large, sizeof(large), "{\"text\":\"%0*d\"}", (int)sizeof(large) - 20, 0);
    tb_notices_init(&notices, 100, 3200);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(add(&notices, "b-1", "{}"), 0);
    }
    assert_int_equal(add(&notices, "b-4", large), 3);
    assert_int_equal(notices.next - notices.first, 1);
    assert_int_equal(add(&notices, "b-5", "{}"), 1);
    assert_string_equal(tb_notices_at(&notices, 5)->id, "b-5");
    tb_notices_fini(&notices);
    assert_int_equal(notices.bytes, 0);
}

static void a_notice_lives_as_long_as_somebody_has_it(void **state)
{
    struct tb_notices one;
    struct tb_notices two;
    (void)state;
    tb_notices_init(&one, 2, SIZE_MAX);
    tb_notices_init(&two, 2, SIZE_MAX);
    struct tb_notice *notice = make("b-1", "{}");
    tb_notices_add(&one, notice);
    tb_notices_add(&two, notice);
    tb_notice_unref(notice, "made");
    tb_notices_fini(&one);
    struct tb_notice *same = tb_notices_pop(&two);
    assert_ptr_equal(same, notice);
    assert_string_equal(same->id, "b-1");
    assert_null(tb_notices_pop(&two));
    tb_notice_unref(same, "popped");
    tb_notices_fini(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notice_is_one_event_whose_data_is_its_json),
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(over_the_number_the_oldest_go),
        cmocka_unit_test(over_the_bytes_as_many_go_as_must_but_the_newest_stays),
        cmocka_unit_test(a_notice_lives_as_long_as_somebody_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
