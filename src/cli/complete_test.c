/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/program.h"
#include "tool/tools.h"

enum {
    WORDS_MAX = 8,
};

static void expect(const char *const *words, const char *offered)
{
    const struct tb_complete_tables tables = {tb_program_commands(), &tb_kit};
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    char *copies[WORDS_MAX];
    size_t count = 0;
    for (; words[count]; count++) {
        copies[count] = tb_strdup(words[count]);
    }
    tb_complete(&tables, count, copies, &out);
    tb_buf_append_char(&out, '\0');
    for (size_t i = 0; i < count; i++) {
        tb_free(copies[i]);
    }
    if (strcmp((const char *)out.data, offered) != 0) {
        fail_msg("'%s' instead of '%s'", (const char *)out.data, offered);
    }
}

#define EXPECT(offered, ...) expect((const char *const[]){__VA_ARGS__, NULL}, offered)

static void commands_and_their_verbs_are_offered(void **state)
{
    (void)state;
    EXPECT("call\n", "cal");
    EXPECT("help\n", "hel");
    EXPECT("sessions\n", "help", "ses");
    EXPECT("hibernate\n", "sessions", "h");
    EXPECT("bash\n", "completion", "b");
    EXPECT("", "sessions", "close", "x");
    EXPECT("", "nonsense", "x");
}

static void tools_and_their_arguments_are_offered(void **state)
{
    (void)state;
    EXPECT("browser_click\n", "call", "browser_cl");
    EXPECT("browser_click\n", "help", "call", "browser_cl");
    EXPECT("target=\ntimeout_ms=\n", "call", "browser_click", "t");
    EXPECT("button=left\n", "call", "browser_click", "target=e1", "button=l");
    EXPECT("", "call", "no_such_tool", "t");
}

static void options_are_offered_with_the_settings(void **state)
{
    (void)state;
    EXPECT("--session\n", "call", "browser_click", "--se");
    EXPECT("--token\n", "sessions", "list", "--to");
    EXPECT("--state\n--state-dir\n", "sessions", "list", "--stat");
    EXPECT("--help\n", "version", "--h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_and_their_verbs_are_offered),
        cmocka_unit_test(tools_and_their_arguments_are_offered),
        cmocka_unit_test(options_are_offered_with_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
