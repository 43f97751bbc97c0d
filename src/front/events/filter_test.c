/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static const struct tb_principal reader = {.tenant = "t", .scopes = TB_SCOPE_OBSERVE};
static const struct tb_principal stranger = {.tenant = "u", .scopes = TB_SCOPES_ALL};

static struct tb_notice *make(enum tb_event_type type, const char *session, int kind)
{
    return tb_notice_new(&(struct tb_notice_spec){
        .id = "b-1",
        .type = tb_event_name(type),
        .type_bit = UINT64_C(1) << type,
        .tenant = "t",
        .session = session,
        .session_id = session[0] ? "id-of-it" : "",
        .kind_bit = kind < 0 ? 0 : 1U << kind,
        .data = TB_STR("{}"),
    });
}

static void each_part_of_the_query_narrows(void **state)
{
    static const struct {
        const char *query;
        bool ended;   /* fits the end of the browser session "my box" */
        bool opened;  /* fits a tab of the client session "page" */
        bool cleared; /* fits what is about no session */
    } cases[] = {
        {"", true, true, true},
        {"after=x-1&other=1", true, true, true},
        {"session=my+box", true, false, false},
        {"session=my%20box", true, false, false},
        {"session=id-of-it", true, true, false},
        {"session=nobody", false, false, false},
        {"kind=browser", true, false, false},
        {"kind=ios,client", false, true, false},
        {"type=session_ended", true, false, false},
        {"type=tab_opened,%20audit_cleared", false, true, true},
        {"type=", true, true, true},
        {"kind=browser&type=tab_opened", false, false, false},
        {"session=page&kind=client&type=tab_opened", false, true, false},
    };
    (void)state;
    struct tb_notice *ended = make(TB_EVENT_SESSION_ENDED, "my box", TB_KIND_BROWSER);
    struct tb_notice *opened = make(TB_EVENT_TAB_OPENED, "page", TB_KIND_CLIENT);
    struct tb_notice *cleared = make(TB_EVENT_AUDIT_CLEARED, "", -1);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_filter filter;
        struct tb_err err;
        assert_int_equal(tb_filter_parse(&reader, tb_str_of(cases[i].query), &filter, &err), 0);
        assert_int_equal(tb_filter_fits(&filter, ended), cases[i].ended);
        assert_int_equal(tb_filter_fits(&filter, opened), cases[i].opened);
        assert_int_equal(tb_filter_fits(&filter, cleared), cases[i].cleared);
        assert_int_equal(tb_filter_parse(&stranger, tb_str_of(cases[i].query), &filter, &err), 0);
        assert_false(tb_filter_fits(&filter, ended) || tb_filter_fits(&filter, cleared));
    }
    tb_notice_unref(ended, "made");
    tb_notice_unref(opened, "made");
    tb_notice_unref(cleared, "made");
}

static void what_there_is_not_is_refused_by_its_name(void **state)
{
    static const struct {
        const char *query, *words;
        int code;
    } cases[] = {
        {"kind=toaster", "'toaster'", TB_E_PARAMS},
        {"kind=browser,,ios", "''", TB_E_PARAMS},
        {"type=session_ended,nonsense", "'nonsense'", TB_E_PARAMS},
        {"session=%zz", "'session'", TB_E_INVALID},
        {"session=a%00b", "'session'", TB_E_INVALID},
        {"type=%4", "'type'", TB_E_INVALID},
        {"session=0123456789012345678901234567890123456789012345678901234567890123456789",
         "too long", TB_E_PARAMS},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_filter filter;
        struct tb_err err;
        assert_int_equal(tb_filter_parse(&reader, tb_str_of(cases[i].query), &filter, &err),
                         cases[i].code);
        assert_non_null(strstr(err.text, cases[i].words));
    }
}

static void what_is_about_private_sessions_is_for_admins(void **state)
{
    static const struct tb_principal admin = {.tenant = "t",
                                              .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ADMIN};
    struct tb_filter weak;
    struct tb_filter strong;
    (void)state;
    struct tb_notice *notice = make(TB_EVENT_SESSION_ENDED, "mine", TB_KIND_BROWSER);
    assert_int_equal(tb_filter_parse(&reader, TB_STR(""), &weak, NULL), 0);
    assert_int_equal(tb_filter_parse(&admin, TB_STR(""), &strong, NULL), 0);
    assert_true(tb_filter_fits(&weak, notice) && tb_filter_fits(&strong, notice));
    notice->hidden = true;
    assert_false(tb_filter_fits(&weak, notice));
    assert_true(tb_filter_fits(&strong, notice));
    tb_notice_unref(notice, "made");
}

static void callers_that_were_turned_away_are_for_the_operator(void **state)
{
    static const struct tb_principal admin = {.tenant = "t",
                                              .scopes = TB_SCOPE_OBSERVE | TB_SCOPE_ADMIN};
    static const struct tb_principal boss = {.tenant = "t", .scopes = TB_SCOPES_ALL};
    static const enum tb_event_type types[] = {TB_EVENT_CALLER_REFUSED,
                                               TB_EVENT_CREDENTIAL_REFUSED};
    struct tb_filter weak;
    struct tb_filter strong;
    (void)state;
    assert_int_equal(tb_filter_parse(&admin, TB_STR(""), &weak, NULL), 0);
    assert_int_equal(tb_filter_parse(&boss, TB_STR(""), &strong, NULL), 0);
    for (size_t i = 0; i < TB_COUNT(types); i++) {
        struct tb_notice *notice = make(types[i], "", -1);
        assert_false(tb_filter_fits(&weak, notice));
        assert_true(tb_filter_fits(&strong, notice));
        tb_notice_unref(notice, "made");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_of_the_query_narrows),
        cmocka_unit_test(what_there_is_not_is_refused_by_its_name),
        cmocka_unit_test(what_is_about_private_sessions_is_for_admins),
        cmocka_unit_test(callers_that_were_turned_away_are_for_the_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
