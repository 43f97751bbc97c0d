/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void the_nearest_name_is_suggested(void **state)
{
    static const struct {
        const char *word;
        const char *words;
    } cases[] = {
        {"serv", " (did you mean serve?)"},
        {"Serve", " (did you mean serve?)"},
        {"sreve", " (did you mean serve?)"},
        {"mpc", " (did you mean mcp?)"},
        {"cpm", ""},
        {"verison", " (did you mean version?)"},
        {"completely-different", ""},
        {"octopus_idle_mss", " (did you mean octopus_idle_ms?)"},
        {"octopus_max_age_ms", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_nearest nearest = {.word = tb_str_of(cases[i].word)};
        tb_nearest_offer(&nearest, "version");
        tb_nearest_offer(&nearest, "serve");
        tb_nearest_offer(&nearest, "mcp");
        tb_nearest_offer(&nearest, "octopus_idle_ms");
        assert_string_equal(tb_nearest_words(&nearest), cases[i].words);
    }
}

static void a_word_of_any_length_is_borne(void **state)
{
    char word[1000];
    (void)state;
    memset(word, 'a', sizeof(word));
    for (size_t len = 76; len < 90; len++) {
        struct tb_nearest nearest = {.word = {word, len}};
        char name[100];
        memset(name, 'a', 79);
        name[79] = '\0';
        tb_nearest_offer(&nearest, name);
        assert_int_equal(nearest.best[0] != '\0', len <= 79);
        word[len] = 'a';
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_name_is_suggested),
        cmocka_unit_test(a_word_of_any_length_is_borne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
