/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

/* Knows the snapshot, by another name, and nothing else. */
static const char *name_of(struct tb_str name, const void *reader)
{
    return tb_str_eq_cstr(name, "browser_snapshot") ? reader : NULL;
}

static void expect(const char *hint, tb_hint_name_fn *fn, const char *words)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(4096);
    tb_hint_print(hint, fn, "get_tree", &out);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, words);
}

static void names_become_those_of_the_reader(void **state)
{
    (void)state;
    expect("Call {browser_snapshot}.", name_of, "Call get_tree.");
    expect("{browser_snapshot}{browser_snapshot}", name_of, "get_treeget_tree");
    expect("Call nobody.", name_of, "Call nobody.");
}

static void the_first_form_whose_names_are_all_known_is_used(void **state)
{
    (void)state;
    expect("Use {browser_tabs}.|Use {browser_snapshot}.|Wait.", name_of, "Use get_tree.");
    expect("Use {browser_snapshot} and {browser_tabs}.|Wait.", name_of, "Wait.");
    expect("Wait.|Use {browser_snapshot}.", name_of, "Wait.");
}

static void a_hint_without_a_form_that_fits_says_nothing(void **state)
{
    (void)state;
    expect("; {browser_tabs} switches back", name_of, "");
    expect("; {browser_tabs} switches back|", name_of, "");
    expect("", name_of, "");
}

static void to_who_has_everything_the_names_stand_as_they_are(void **state)
{
    (void)state;
    expect("Use {browser_tabs}.|Wait.", NULL, "Use browser_tabs.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_those_of_the_reader),
        cmocka_unit_test(the_first_form_whose_names_are_all_known_is_used),
        cmocka_unit_test(a_hint_without_a_form_that_fits_says_nothing),
        cmocka_unit_test(to_who_has_everything_the_names_stand_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
