/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/options.h"

/* A command that brings parcels and lists them. */

enum {
    BRING,
    LIST,
};

struct wish {
    struct tb_wish base;
    const char *parcel;
    const char *ribbon;
    const char *state_dir; /* as the work has seen it */
    int works;
    int code; /* of the work */
};

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const char *ribbon = tb_options_own(argc, argv, at, "--ribbon");
    if (ribbon && strcmp(ribbon, "green") == 0) {
        return tb_fail(err, TB_E_PARAMS, "there is no green");
    }
    if (ribbon) {
        wish->ribbon = ribbon;
        return 1;
    }
    if (argv[*at][0] != '-' && !wish->parcel && base->verb == BRING) {
        wish->parcel = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static int check(struct tb_wish *base, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    return base->verb == LIST || wish->parcel ? 0 : tb_fail(err, TB_E_PARAMS, "name the parcel");
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    wish->works++;
    wish->state_dir = strcmp(config->state_dir, "/inn") == 0 ? "/inn" : "";
    return wish->code < 0 ? tb_fail(err, wish->code, "the road is closed") : wish->code;
}

static const struct tb_verbs verbs = {
    "parcels",
    (const char *const[]){"bring", "list", NULL},
    (const char *const[]){"--json", "--ribbon", "--url", "--token", NULL},
    take,
    check,
    work,
    false,
    false};

enum {
    WORDS_MAX = 10
};

static int run(struct wish *wish, const char *const *words)
{
    char *argv[WORDS_MAX + 1];
    int argc = 0;
    for (; words[argc]; argc++) {
        argv[argc] = (char *)(uintptr_t)words[argc];
    }
    argv[argc] = NULL;
    return tb_verbs_run(&verbs, argc, argv, &wish->base);
}

#define RUN(wish, ...) run(wish, (const char *const[]){"parcels", __VA_ARGS__, NULL})

static void own_options_and_words_are_told_from_settings(void **state)
{
    struct wish wish = {.code = 3};
    (void)state;
    assert_int_equal(RUN(&wish, "bring", "--state-dir", "/inn", "box", "--ribbon=red", "--url",
                         "http://a", "--json"),
                     3);
    assert_string_equal(wish.parcel, "box"); /* and not what stands behind the setting */
    assert_string_equal(wish.state_dir, "/inn");
    assert_string_equal(wish.ribbon, "red");
    assert_string_equal(wish.base.way.url, "http://a");
    assert_true(wish.base.json);
    assert_int_equal(wish.works, 1);
}

static void what_is_wrong_or_missing_costs_code_2_and_does_nothing(void **state)
{
    struct wish wish = {.code = 0};
    (void)state;
    assert_int_equal(RUN(&wish, NULL), 2);
    assert_int_equal(RUN(&wish, "brin"), 2);
    assert_int_equal(RUN(&wish, "bring"), 2);
    assert_int_equal(RUN(&wish, "list", "box"), 2);
    assert_int_equal(RUN(&wish, "list", "--ribbon"), 2);
    assert_int_equal(RUN(&wish, "list", "--ribbon", "green"), 2);
    assert_int_equal(RUN(&wish, "list", "--ribon", "red"), 2);
    assert_int_equal(wish.works, 0);
}

static void a_failure_has_the_code_of_its_kind(void **state)
{
    struct wish wish = {.code = TB_E_CLOSED};
    (void)state;
    assert_int_equal(RUN(&wish, "list"), 3);
    assert_int_equal(wish.base.verb, LIST);
    assert_int_equal(RUN(&wish, "list", "--listen", "nowhere", "--log-level", "loud"), 1);
    assert_int_equal(wish.works, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_options_and_words_are_told_from_settings),
        cmocka_unit_test(what_is_wrong_or_missing_costs_code_2_and_does_nothing),
        cmocka_unit_test(a_failure_has_the_code_of_its_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
