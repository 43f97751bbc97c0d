/* SPDX-License-Identifier: Apache-2.0 */
#include "front/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void patterns_take_whole_segments(void **state)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool fits;
    } cases[] = {
        {"/health", "/health", true},
        {"/health", "/health/", false},
        {"/health", "/healthy", false},
        {"/health", "/HEALTH", false},
        {"/", "/", true},
        {"/", "", false},
        {"/", "/x", false},
        {"/api/sessions/{id}", "/api/sessions/7", true},
        {"/api/sessions/{id}", "/api/sessions/", false},
        {"/api/sessions/{id}", "/api/sessions", false},
        {"/api/sessions/{id}", "/api/sessions/7/x", false},
        {"/api/{a}/{b}/end", "/api/1/2/end", true},
        {"/api/{a}/{b}/end", "/api//2/end", false},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_str args[TB_ROUTE_ARGS] = {{0}};
        if (tb_route_match(cases[i].pattern, tb_str_of(cases[i].path), args) != cases[i].fits) {
            fail_msg("%s against %s", cases[i].pattern, cases[i].path);
        }
    }
}

static void arguments_come_in_their_order(void **state)
{
    struct tb_str args[TB_ROUTE_ARGS] = {{0}};
    (void)state;
    assert_true(tb_route_match("/a/{x}/b/{y}", TB_STR("/a/one/b/two%20"), args));
    assert_true(tb_str_eq_cstr(args[0], "one"));
    assert_true(tb_str_eq_cstr(args[1], "two%20"));
}

static void more_arguments_than_places_do_not_match(void **state)
{
    struct tb_str args[TB_ROUTE_ARGS] = {{0}};
    (void)state;
    assert_false(tb_route_match("/{a}/{b}/{c}/{d}/{e}", TB_STR("/1/2/3/4/5"), args));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_take_whole_segments),
        cmocka_unit_test(arguments_come_in_their_order),
        cmocka_unit_test(more_arguments_than_places_do_not_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
