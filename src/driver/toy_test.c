/* SPDX-License-Identifier: Apache-2.0 */
/* A driver as docs/adding-a-driver.md tells how to write one, and its test. On its page nothing
 * ever happens. */
#include "base/list.h"
#include "base/mem.h"

#include "suite/driver_cases.h"
#include "support/core_rig.h"

struct toy {
    struct tb_core *core;
    struct tb_list sessions;
};

struct tb_driver_session {
    struct toy *toy;
    struct tb_list link;
    const struct tb_driver_events *events;
    void *owner;
    struct tb_op *op; /* that waits; NULL: none */
    struct tb_deferred later;
    tb_closed_fn *closed;
    void *closed_owner;
};

static void *start(struct tb_core *core)
{
    struct toy *toy = TB_NEW(struct toy);
    toy->core = core;
    tb_list_init(&toy->sessions);
    return toy;
}

static void session_free(struct tb_driver_session *session)
{
    tb_list_remove(&session->link);
    tb_deferred_cancel(&session->later);
    tb_free(session);
}

static void stop(void *state)
{
    struct toy *toy = state;
    LIST_FOREACH_SAFE(link, &toy->sessions) {
        session_free(TB_CONTAINER(link, struct tb_driver_session, link));
    }
    tb_free(toy);
}

static void end_close(struct tb_deferred *job)
{
    struct tb_driver_session *session = TB_CONTAINER(job, struct tb_driver_session, later);
    session->closed(session->closed_owner);
    session_free(session);
}

static void open(void *state, const struct tb_open_opts *opts, tb_open_fn *fn)
{
    struct tb_driver_session *session = TB_NEW(struct tb_driver_session);
    session->toy = state;
    session->events = opts->events;
    session->owner = opts->owner;
    session->later.run = end_close;
    tb_list_init(&session->later.link);
    tb_list_append(&session->toy->sessions, &session->link);
    fn(session, NULL, opts->owner);
}

static void end_op(struct tb_driver_session *session, int code)
{
    struct tb_op *op = session->op;
    session->op = NULL;
    tb_result_fail(op->result, code, "nothing was seen: %s", tb_err_name(code));
    tb_op_done(op);
}

static void close(struct tb_driver_session *session, tb_closed_fn *fn, void *owner)
{
    if (session->op) {
        end_op(session, TB_E_CLOSED);
    }
    session->closed = fn;
    session->closed_owner = owner;
    tb_loop_defer(session->toy->core->loop, &session->later);
}

static void navigate(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    tb_json_set_cstr(op->result->data, "url", "about:blank");
    tb_op_done(op);
}

static void on_cancel(struct tb_op *op)
{
    end_op(op->driver_state, TB_E_CANCELLED);
}

static void wait(struct tb_driver_session *session, struct tb_op *op)
{
    session->op = op;
    op->driver_state = session;
    op->cancel = on_cancel;
}

static const struct tb_driver toy_driver = {
    .name = "toy",
    .offers = (const struct tb_offer[]){{TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
                                        TB_OFFER_END},
    .start = start,
    .stop = stop,
    .open = open,
    .close = close,
    .ops = {[TB_OP_NAVIGATE] = navigate, [TB_OP_WAIT] = wait},
};

/* The test. */

static bool lose(struct driver_seat *seat)
{
    seat->session->events->on_lost(seat->session->owner, TB_END_TAB_CLOSED, TB_LOSS_FINAL, "");
    return true;
}

static void core_knows_what_it_cannot_do(void **state)
{
    struct rig *rig = *state;
    rig->core.drivers[0] = (struct tb_driver_slot){&toy_driver, start(&rig->core)};
    assert_int_equal(rig_run(rig, &rig_navigate, "", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_click, "", NULL), TB_E_NOT_POSSIBLE);
    rig_stop(rig);
    stop(rig->core.drivers[0].state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(core_knows_what_it_cannot_do, rig_setup, rig_teardown),
    };
    const struct driver_subject subject = {
        .name = "toy",
        .driver = &toy_driver,
        .quick = {TB_OP_NAVIGATE, "{}"},
        .slow = {TB_OP_WAIT, "{}"},
        .lose = lose,
    };
    return driver_cases(&subject) + cmocka_run_group_tests(tests, NULL, NULL);
}
