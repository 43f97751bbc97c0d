/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/conn_rig.h"

static void commands_are_written_as_the_protocol_has_them(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    assert_int_equal(ask(&rig, 1000)->id, 1);
    ask_for(&rig, "S1", "B.c", TB_STR("{\"x\":1}"), INT64_MAX);
    tb_cdp_post(rig.conn, "", "C.d", TB_STR(""));
    expect_told(&rig, "{\"id\":1,\"method\":\"A.b\",\"params\":{}}|"
                      "{\"id\":2,\"method\":\"B.c\",\"sessionId\":\"S1\",\"params\":{\"x\":1}}|"
                      "{\"id\":3,\"method\":\"C.d\",\"params\":{}}|");
    rig_fini(&rig);
}

static void replies_find_their_commands_in_any_order(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    ask(&rig, 1000);
    ask(&rig, 1000);
    ask(&rig, 1000);
    say(&rig, "{\"id\":3,\"result\":{\"c\":3}}|{\"id\":1,\"result\":{}}|"
              "{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"no\"}}|");
    expect(&rig, "={\"c\":3} ={} protocol_error ");
    rig_fini(&rig);
}

static void events_of_the_browser_itself_go_to_the_owner(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    say(&rig, "{\"method\":\"A.x\",\"params\":{\"n\":1}}|");
    expect(&rig, ":A.x:{\"n\":1} ");
    rig_fini(&rig);
}

/* MSG-4 */
static void unknown_and_late_replies_are_passed_over(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    say(&rig, "{\"id\":77,\"result\":{}}|");
    ask(&rig, 100);
    advance(&rig, 100);
    say(&rig, "{\"id\":1,\"result\":{}}|");
    expect(&rig, "timeout ");
    assert_int_equal(rig.ends, 0);
    rig_fini(&rig);
}

static void every_command_has_its_own_deadline(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    ask(&rig, 3000);
    ask(&rig, 1000);
    ask(&rig, 2000);
    advance(&rig, 999);
    expect(&rig, "");
    advance(&rig, 1);
    expect(&rig, "timeout ");
    say(&rig, "{\"id\":3,\"result\":{}}|");
    expect(&rig, "={} ");
    advance(&rig, 1999);
    expect(&rig, "");
    advance(&rig, 1);
    expect(&rig, "timeout ");
    rig_fini(&rig);
}

static void a_forgotten_command_is_not_called_back(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    struct tb_cdp_command never = {.id = 0};
    struct tb_cdp_command *command = ask(&rig, 100);
    ask(&rig, 100);
    tb_cdp_command_forget(rig.conn, command);
    tb_cdp_command_forget(rig.conn, command);
    tb_cdp_command_forget(rig.conn, &never);
    say(&rig, "{\"id\":1,\"result\":{}}|");
    advance(&rig, 200);
    expect(&rig, "timeout ");
    rig_fini(&rig);
}

static void a_command_may_be_sent_from_inside_an_answer(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    rig.send_in_reply = true;
    ask(&rig, 1000);
    say(&rig, "{\"id\":1,\"result\":{}}|");
    say(&rig, "{\"id\":2,\"result\":{\"again\":1}}|");
    expect(&rig, "={} ={\"again\":1} ");
    rig_fini(&rig);
}

static void the_end_of_the_pipe_fails_all_commands_first(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    ask(&rig, 1000);
    ask(&rig, 1000);
    close(rig.from);
    rig.from = -1;
    turns(&rig);
    expect(&rig, "browser_crashed browser_crashed END ");
    assert_int_equal(rig.ends, 1);
    ask(&rig, 1000);
    expect(&rig, "");
    turns(&rig);
    expect(&rig, "browser_crashed ");
    assert_int_equal(rig.ends, 1);
    rig_fini(&rig);
}

static void forget_both(struct tb_cdp_command *command, int code, struct tb_str result,
                        const struct tb_err *err)
{
    struct rig *rig = TB_CONTAINER(command, struct question, command)->rig;
    (void)code;
    (void)result;
    (void)err;
    tb_buf_append_cstr(&rig->heard, "over ");
    tb_cdp_command_forget(rig->conn, &rig->questions[0].command);
    tb_cdp_command_forget(rig->conn, &rig->questions[1].command);
}

static void a_command_that_is_forgotten_at_the_end_is_not_called_back(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    ask(&rig, 100)->done = forget_both;
    ask(&rig, 100)->done = forget_both;
    say(&rig, "no message|");
    expect(&rig, "over END ");
    rig_fini(&rig);
}

static void bytes_that_are_no_messages_end_the_line(void **state)
{
    static const char *const rows[] = {"garbage|", "{}|", "[1]|", "|", "{\"id\":1,\"id\":1}|"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct rig rig;
        rig_init(&rig);
        ask(&rig, 1000);
        say(&rig, rows[i]);
        say(&rig, "{\"id\":1,\"result\":{}}|");
        expect(&rig, "browser_crashed END ");
        rig_fini(&rig);
    }
}

/* MSG-4 */
static void a_hostile_page_title_does_not_end_the_line(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    ask(&rig, 1000);
    say(&rig, "{\"method\":\"A.title\",\"params\":{\"t\":\"\\udead\\u0000\"}}|"
              "{\"id\":1,\"result\":{\"t\":\"\\ud800\"}}|");
    expect(&rig, ":A.title:{\"t\":\"\\ufffd\\ufffd\"} ={\"t\":\"\\ufffd\"} ");
    rig_fini(&rig);
}

/* Writes as much as the pipe takes at a time. */
static void say_much(struct rig *rig, const char *bytes, size_t len)
{
    while (len) {
        ssize_t written = write(rig->from, bytes, len);
        if (written > 0) {
            bytes += written;
            len -= (size_t)written;
        }
        tb_loop_turn(rig->loop, false);
    }
    turns(rig);
}

/* A message of this length, filled with x between its first and last words; the caller frees it. */
static char *make_message(struct tb_str first, struct tb_str last, size_t len)
{
    char *bytes = tb_zalloc(len); /* the last byte stays NUL and ends the message */
    memset(bytes, 'x', len - 1);
    memcpy(bytes, first.ptr, first.len);
    memcpy(bytes + len - 1 - last.len, last.ptr, last.len);
    return bytes;
}

/* MSG-4 */
static void an_answer_over_the_ceiling_fails_only_its_own_command(void **state)
{
    struct rig rig;
    (void)state;
    size_t len = TB_CDP_MESSAGE_MAX + 100;
    char *bytes = make_message(TB_STR("{\"id\":2,\"result\":{\"v\":\""), TB_STR("\"}}"), len);
    rig_init(&rig);
    ask(&rig, 1000);
    ask(&rig, 1000);
    say_much(&rig, bytes, len);
    expect(&rig, "too_large ");
    say(&rig, "{\"id\":1,\"result\":{}}|");
    expect(&rig, "={} ");
    assert_int_equal(rig.ends, 0);
    tb_free(bytes);
    rig_fini(&rig);
}

static void a_large_answer_comes_whole(void **state)
{
    struct rig rig;
    (void)state;
    size_t len = (size_t)8 * TB_MIB;
    char *bytes = make_message(TB_STR("{\"id\":1,\"result\":\""), TB_STR("\"}"), len);
    rig_init(&rig);
    ask(&rig, 1000);
    say_much(&rig, bytes, len);
    assert_int_equal(rig.heard.len, 62);
    tb_free(bytes);
    rig_fini(&rig);
}

static void it_may_be_freed_inside_each_of_its_callbacks(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        struct rig rig;
        rig_init(&rig);
        rig.free_in_reply = which == 0 || which == 3;
        rig.free_in_event = which == 1;
        rig.free_in_end = which == 2;
        ask(&rig, 1000);
        ask(&rig, 1000);
        if (which == 2) {
            close(rig.from);
            rig.from = -1;
            turns(&rig);
        } else if (which == 3) {
            advance(&rig, 2000);
        } else {
            say(&rig, which ? "{\"method\":\"A.x\"}|{\"id\":1,\"result\":{}}|"
                            : "{\"id\":1,\"result\":{}}|{\"id\":2,\"result\":{}}|");
        }
        assert_null(rig.conn);
        expect(&rig, which == 0   ? "={} "
                     : which == 1 ? ":A.x: "
                     : which == 2 ? "browser_crashed browser_crashed END "
                                  : "timeout ");
        rig_fini(&rig);
    }
}

static void a_silent_browser_is_asked_three_times_and_then_given_up(void **state)
{
    struct rig rig;
    char text[500];
    (void)state;
    rig_init(&rig);
    tb_cdp_conn_watch(rig.conn, 1800, 3);
    ask(&rig, 60000);
    advance(&rig, 1799);
    expect_told(&rig, "{\"id\":1,\"method\":\"A.b\",\"params\":{}}|");
    for (int i = 0; i < 3; i++) {
        advance(&rig, i ? 1800 : 1);
        snprintf(text, sizeof(text), "{\"id\":%d,\"method\":\"Browser.getVersion\",\"params\":{}}|",
                 i + 2);
        expect_told(&rig, text);
        expect(&rig, "");
    }
    advance(&rig, 1800);
    expect(&rig, "browser_crashed END ");
    rig_fini(&rig);
}

static void a_browser_that_answers_is_not_given_up(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    tb_cdp_conn_watch(rig.conn, 1800, 3);
    ask(&rig, 60000);
    for (int i = 0; i < 20; i++) {
        advance(&rig, 1800);
        say(&rig, "{\"id\":999,\"result\":{}}|");
    }
    expect(&rig, "");
    /* With no command under way, silence means nothing. */
    say(&rig, "{\"id\":1,\"result\":{}}|");
    advance(&rig, 100000);
    expect(&rig, "={} ");
    assert_int_equal(rig.ends, 0);
    ask(&rig, 1000000);
    advance(&rig, 1000);
    assert_int_equal(rig.ends, 0);
    rig_fini(&rig);
}

static void a_silent_browser_that_is_at_work_is_given_half_a_minute(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    tb_cdp_conn_watch(rig.conn, 1800, 3);
    rig.at_work = true;
    ask(&rig, 600000);
    for (int i = 0; i < 16; i++) {
        advance(&rig, 1800);
    }
    expect(&rig, "");
    for (int i = 0; i < 4; i++) {
        advance(&rig, 1800);
    }
    expect(&rig, "browser_crashed END ");
    rig_fini(&rig);
}

static void a_browser_in_the_middle_of_a_long_answer_is_not_given_up(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    tb_cdp_conn_watch(rig.conn, 1800, 3);
    ask(&rig, 60000);
    say(&rig, "{\"id\":1,\"result\":{\"a\":\"");
    for (int i = 0; i < 20; i++) {
        advance(&rig, 1800);
        say(&rig, "x");
    }
    expect(&rig, "");
    say(&rig, "\"}}|");
    expect(&rig, "={\"a\":\"xxxxxxxxxxxxxxxxxxxx\"} ");
    assert_int_equal(rig.ends, 0);
    rig_fini(&rig);
}

static void bytes_that_do_not_begin_a_message_end_the_line_at_once(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    tb_cdp_conn_distrust(rig.conn);
    ask(&rig, 60000);
    say(&rig, "{\"id\":1,\"result\":{}}|"); /* it was a browser once */
    expect(&rig, "={} ");
    ask(&rig, 60000);
    say(&rig, "garbage");
    expect(&rig, "browser_crashed END ");
    assert_string_equal(tb_cdp_conn_fault(rig.conn),
                        "it sent something that is not a DevTools message");
    rig_fini(&rig);
}

static void a_message_without_end_is_waited_for_a_minute(void **state)
{
    static const struct {
        bool distrusted;
        int64_t within_ms; /* the deadline of the calls that are made meanwhile */
        int seconds;
    } rows[] = {{true, 600000, 1}, {false, 600000, 60}, {false, 900, 60}};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct rig rig;
        rig_init(&rig);
        tb_cdp_conn_watch(rig.conn, 1800, 3);
        if (rows[i].distrusted) {
            tb_cdp_conn_distrust(rig.conn);
        }
        say(&rig, "{\"id\":1,\"result\":\"");
        for (int second = 0; second < rows[i].seconds; second++) {
            assert_int_equal(rig.ends, 0);
            ask(&rig, rows[i].within_ms);
            say(&rig, "x");
            advance(&rig, 1000);
        }
        assert_int_equal(rig.ends, 1);
        assert_string_equal(tb_cdp_conn_fault(rig.conn),
                            "it started a DevTools message but did not finish it");
        rig_fini(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_written_as_the_protocol_has_them),
        cmocka_unit_test(replies_find_their_commands_in_any_order),
        cmocka_unit_test(events_of_the_browser_itself_go_to_the_owner),
        cmocka_unit_test(unknown_and_late_replies_are_passed_over),
        cmocka_unit_test(every_command_has_its_own_deadline),
        cmocka_unit_test(a_forgotten_command_is_not_called_back),
        cmocka_unit_test(a_command_may_be_sent_from_inside_an_answer),
        cmocka_unit_test(the_end_of_the_pipe_fails_all_commands_first),
        cmocka_unit_test(a_command_that_is_forgotten_at_the_end_is_not_called_back),
        cmocka_unit_test(bytes_that_are_no_messages_end_the_line),
        cmocka_unit_test(a_hostile_page_title_does_not_end_the_line),
        cmocka_unit_test(an_answer_over_the_ceiling_fails_only_its_own_command),
        cmocka_unit_test(a_large_answer_comes_whole),
        cmocka_unit_test(it_may_be_freed_inside_each_of_its_callbacks),
        cmocka_unit_test(a_silent_browser_is_asked_three_times_and_then_given_up),
        cmocka_unit_test(a_browser_that_answers_is_not_given_up),
        cmocka_unit_test(a_silent_browser_that_is_at_work_is_given_half_a_minute),
        cmocka_unit_test(a_browser_in_the_middle_of_a_long_answer_is_not_given_up),
        cmocka_unit_test(bytes_that_do_not_begin_a_message_end_the_line_at_once),
        cmocka_unit_test(a_message_without_end_is_waited_for_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
