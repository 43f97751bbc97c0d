/* SPDX-License-Identifier: Apache-2.0 */
/* Commands whose record is a part of whoever asks. */
#include "driver/cdp/wire/conn_rig.h"

struct asker {
    struct tb_cdp_command command;
    struct rig *rig;
    int again; /* so many times it asks anew when it has an answer */
};

static void on_done(struct tb_cdp_command *command, int code, struct tb_str result,
                    const struct tb_err *err)
{
    struct asker *asker = TB_CONTAINER(command, struct asker, command);
    assert_int_equal(command->id, 0);
    assert_int_equal(code, err ? err->code : 0);
    tb_buf_printf(&asker->rig->heard, "%s%.*s ", code < 0 ? tb_err_name(code) : "=",
                  TB_STR_ARG(result));
    if (asker->again-- > 0) {
        tb_cdp_command_send(asker->rig->conn, command, NULL, "A.again", TB_STR(""));
    }
}

static struct asker asker_of(struct rig *rig, int64_t within_ms)
{
    return (struct asker){
        .command = {.deadline_ms = rig->clock.mono_ms + within_ms, .done = on_done}, .rig = rig};
}

static void a_command_may_be_sent_again_from_its_own_end(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    struct asker asker = asker_of(&rig, 1000);
    asker.again = 2;
    tb_cdp_command_send(rig.conn, &asker.command, NULL, "A.b", TB_STR(""));
    say(&rig, "{\"id\":1,\"result\":{\"n\":1}}|{\"id\":2,\"result\":{\"n\":2}}|");
    expect(&rig, "={\"n\":1} ={\"n\":2} ");
    assert_int_equal(asker.command.id, 3);
    advance(&rig, 1000); /* the deadline is that of all three */
    expect(&rig, "timeout ");
    rig_fini(&rig);
}

static void a_command_that_is_forgotten_may_die(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    {
        struct asker asker = asker_of(&rig, 1000);
        tb_cdp_command_send(rig.conn, &asker.command, NULL, "A.b", TB_STR(""));
        tb_cdp_command_forget(rig.conn, &asker.command);
        assert_int_equal(asker.command.id, 0);
        tb_cdp_command_forget(rig.conn, &asker.command);
    }
    say(&rig, "{\"id\":1,\"result\":{}}|");
    advance(&rig, 1000);
    expect(&rig, "");
    rig_fini(&rig);
}

static void a_command_of_another_line_is_nothing_to_this_one(void **state)
{
    struct rig first;
    struct rig second;
    (void)state;
    rig_init(&first);
    rig_init(&second);
    struct asker old = asker_of(&first, 1000);
    tb_cdp_command_send(first.conn, &old.command, NULL, "A.b", TB_STR(""));
    rig_fini(&first);
    struct asker present = asker_of(&second, 1000);
    tb_cdp_command_send(second.conn, &present.command, NULL, "A.b", TB_STR(""));
    assert_int_equal(old.command.id, present.command.id);
    tb_cdp_command_forget(second.conn, &old.command);
    say(&second, "{\"id\":1,\"result\":{}}|");
    expect(&second, "={} ");
    rig_fini(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_may_be_sent_again_from_its_own_end),
        cmocka_unit_test(a_command_that_is_forgotten_may_die),
        cmocka_unit_test(a_command_of_another_line_is_nothing_to_this_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
