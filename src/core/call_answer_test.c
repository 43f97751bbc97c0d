/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as a front without any form shows them: the parts below each other, on a terminal. */
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"

#include "support/core_rig.h"
#include "support/principals.h"

struct shown {
    struct tb_buf text;
    size_t max; /* of what is asked for */
    size_t parts;
    bool is_error;
};

static void on_done(struct tb_call *call, void *user)
{
    struct shown *shown = user;
    const struct tb_answer *answer = tb_call_answer(call, shown->max);
    for (size_t i = 0; i < answer->part_count; i++) {
        const struct tb_part *part = &answer->parts[i];
        if (part->image_type) {
            tb_buf_printf(&shown->text, "[%s, %zu bytes]\n", part->image_type, part->body.len);
        } else {
            tb_buf_printf(&shown->text, "%.*s\n", TB_STR_ARG(part->body));
        }
    }
    shown->parts = answer->part_count;
    shown->is_error = answer->is_error;
}

static void show(struct rig *rig, const char *tool, const char *args, struct shown *shown)
{
    tb_buf_clear(&shown->text);
    tb_call_start(&rig->core, &(struct tb_call_request){
                                  .name = tb_str_of(tool),
                                  .args.json = tb_str_of(args),
                                  .caller = {.who = &principal_t, .conversation = ""},
                                  .done = on_done,
                                  .user = shown,
                              });
    rig_turn(rig);
}

static void expect(struct rig *rig, const char *tool, const char *args, const char *text)
{
    struct shown shown = {.text = TB_BUF(SIZE_MAX), .max = SIZE_MAX};
    show(rig, tool, args, &shown);
    tb_buf_append_char(&shown.text, '\0');
    assert_string_equal((const char *)shown.text.data, text);
    tb_buf_fini(&shown.text);
}

#define EVALUATE "\"script\":\"1\""
#define NAMED    "\"sessionId\":\"a\""

static void the_words_come_with_the_session_unless_it_was_named(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    expect(rig, "browser_evaluate", "{" EVALUATE "}", "evaluate\nSession: a\n");
    expect(rig, "browser_evaluate", "{" EVALUATE "," NAMED "}", "evaluate\n");
}

static void something_is_said_in_any_case(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig->fake->text = "";
    expect(rig, "browser_evaluate", "{" EVALUATE "," NAMED "}", "Done.\n");
    expect(rig, "browser_evaluate", "{" EVALUATE "}", "Session: a\n");
}

static void notes_come_first_and_pictures_last(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig->fake->data =
        "{\"note\":\"The browser is new.\",\"width\":2,\"height\":1,\"dialogs_more\":1}";
    expect(rig, "browser_screenshot", "{}",
           "The browser is new.\nScreenshot of : 2x1, 0 bytes.\n1 more dialog was dismissed.\n"
           "Session: a\n[image/png, 4 bytes]\n");
}

static void a_failure_says_what_to_do_next(void **state)
{
    struct rig *rig = *state;
    struct shown shown = {.text = TB_BUF(SIZE_MAX), .max = SIZE_MAX};
    rig_create(rig, "a");
    rig->fake->ops[TB_OP_CLICK].code = TB_E_ELEMENT_STALE;
    expect(rig, "browser_click", "{\"target\":\"e1\"," NAMED "}",
           "the fake driver says element_stale\nCall browser_snapshot and use a ref from it.\n");
    show(rig, "browser_click", "{\"target\":\"e1\"}", &shown);
    assert_true(shown.is_error);
    tb_buf_fini(&shown.text);
}

/* Each front has its own ceiling; what is cut, and how that is said, is the same. */
static void a_front_says_how_much_it_can_take(void **state)
{
    struct rig *rig = *state;
    static const char *const args = "{" EVALUATE "," NAMED "}";
    struct shown shown = {.text = TB_BUF(SIZE_MAX), .max = SIZE_MAX};
    rig_create(rig, "a");
    rig->fake->text_bytes = (size_t)16 * TB_KIB;
    show(rig, "browser_evaluate", args, &shown);
    assert_int_equal(shown.text.len, 16 * TB_KIB + 1);
    shown.max = (size_t)8 * TB_KIB;
    show(rig, "browser_evaluate", args, &shown);
    assert_in_range(shown.text.len, 4 * TB_KIB, 8 * TB_KIB);
    tb_buf_append_char(&shown.text, '\0');
    assert_non_null(strstr((const char *)shown.text.data, " of 16384 bytes omitted; ask for a"));
    tb_buf_fini(&shown.text);
}

static void a_picture_that_does_not_fit_is_left_out_in_words(void **state)
{
    struct rig *rig = *state;
    struct shown shown = {.text = TB_BUF(SIZE_MAX), .max = (size_t)8 * TB_KIB};
    rig_create(rig, "a");
    rig->fake->image_bytes = (size_t)8 * TB_KIB;
    show(rig, "browser_screenshot", "{" NAMED "}", &shown);
    tb_buf_append_char(&shown.text, '\0');
    assert_string_equal((const char *)shown.text.data,
                        "Screenshot of : 0x0, 0 bytes.\n"
                        "The picture is too large to send; ask for a smaller one.\n");
    assert_int_equal(shown.parts, 2);
    tb_buf_fini(&shown.text);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(the_words_come_with_the_session_unless_it_was_named),
        WITH(something_is_said_in_any_case),
        WITH(notes_come_first_and_pictures_last),
        WITH(a_failure_says_what_to_do_next),
        WITH(a_front_says_how_much_it_can_take),
        WITH(a_picture_that_does_not_fit_is_left_out_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
