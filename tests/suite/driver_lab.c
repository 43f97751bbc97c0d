/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/driver_lab.h"

#include <stdio.h>
#include <stdlib.h>

#include <ftw.h>

#include "base/id.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/picture.h"
#include "core/toolbox.h"
#include "io/testing.h"

#include "suite/driver_cases.h"

enum {
    OPEN_MS = 60 * 1000, /* only what hangs needs so long, also on a busy machine */
    SAVE_MS = 30 * 1000,
    USUAL_WIDTH = 640, /* of pictures */
    USUAL_HEIGHT = 360,
};

void driver_lab_start(struct driver_lab *lab)
{
    lab->state = lab->subject->driver->start(&lab->core);
    assert_non_null(lab->state);
    if (lab->subject->plan) {
        lab->subject->plan(lab);
    }
}

void driver_lab_stop(struct driver_lab *lab)
{
    lab->subject->driver->stop(lab->state);
    lab->state = NULL;
}

void driver_lab_init(struct driver_lab *lab, const struct driver_subject *subject)
{
    *lab = (struct driver_lab){.subject = subject};
    assert_int_equal(tb_id_init(), 0);
    tb_config_init(&lab->config);
    snprintf(lab->dir, sizeof(lab->dir), "/tmp/tabard-driver-XXXXXX");
    assert_non_null(mkdtemp(lab->dir));
    tb_free(lab->config.state_dir);
    lab->config.state_dir = tb_strdup(lab->dir);
    lab->core.clock = tb_clock_system();
    lab->core.loop = tb_loop_new(lab->core.clock);
    lab->core.config = &lab->config;
    driver_lab_start(lab);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

void driver_lab_fini(struct driver_lab *lab)
{
    driver_lab_stop(lab);
    tb_loop_free(lab->core.loop);
    tb_config_fini(&lab->config);
    nftw(lab->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* What a seat is told. */

static void expect(struct driver_seat *seat, bool kept, const char *breach)
{
    if (!kept && !seat->breach) {
        seat->breach = breach;
    }
    if (seat->silent && !seat->breach) {
        seat->breach = "something was told after the driver had stopped";
    }
}

static bool is_open(const struct driver_seat *seat)
{
    return seat->session && !seat->closes;
}

static void on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail)
{
    struct driver_seat *seat = owner;
    seat->losses++;
    expect(seat, is_open(seat), "a session was lost that is not open");
    expect(seat, !seat->lost, "a session was lost twice");
    seat->lost = true;
    expect(seat, reason < TB_END_COUNT && detail, "a session was lost without a word");
    expect(seat, loss != TB_LOSS_RESTORABLE || seat->lab->subject->driver->save,
           "a session is to be restored that cannot be saved");
    expect(seat, loss != TB_LOSS_AWAY || seat->lab->subject->driver->attach,
           "a session is away to which nobody can come back");
}

/* Whose it is, core adds. */
static void on_event(void *owner, const struct tb_event *event)
{
    struct driver_seat *seat = owner;
    expect(seat, is_open(seat), "an event came of a session that is not open");
    expect(seat, event->type < TB_EVENT_COUNT && !event->session_id && !event->gate,
           "an event is not what a driver tells");
}

static void on_changed(void *owner)
{
    struct driver_seat *seat = owner;
    seat->changes++;
    expect(seat, is_open(seat), "a session has changed that is not open");
}

static void on_picture(void *owner, struct tb_picture *picture)
{
    struct driver_seat *seat = owner;
    seat->pictures++;
    expect(seat, is_open(seat), "a picture came of a session that is not open");
    expect(seat, seat->frame_wanted, "a picture came that nobody had asked for");
    expect(seat, picture->bytes.len && picture->type, "a picture is empty");
    seat->frame_wanted = false;
}

static void drop_tools(struct driver_seat *seat)
{
    for (size_t i = 0; i < seat->tools.count; i++) {
        tb_brought_unref(seat->tools.list[i], "seat");
    }
    tb_free(seat->tools.list);
    seat->tools.list = NULL;
    seat->tools.count = 0;
}

/* They may be there before the session is open. */
static void on_tools(void *owner, struct tb_brought **tools, size_t count)
{
    struct driver_seat *seat = owner;
    seat->tools.lists++;
    expect(seat, !seat->closes, "tools came of a session that is closed");
    expect(seat, tools || !count, "a list of tools is missing");
    count = tools ? count : 0;
    for (size_t i = 0; i < count; i++) {
        expect(seat, tools[i]->refs && tools[i]->name[0] && tools[i]->handle,
               "a tool cannot be called");
    }
    drop_tools(seat);
    seat->tools.list = tools;
    seat->tools.count = count;
}

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct driver_seat *seat = owner;
    seat->session = session;
    seat->opens++;
    expect(seat, seat->opens == 1, "a session opened twice");
    expect(seat, (session != NULL) == (err == NULL), "an open gave both, or neither");
    expect(seat, !err || (err->code < 0 && err->text[0]), "an open failed without a word");
    if (err) {
        seat->refused = *err;
    }
}

static void on_closed(void *owner)
{
    struct driver_seat *seat = owner;
    seat->closes++;
    expect(seat, seat->closes == 1, "a session was closed twice");
    expect(seat, seat->inside != DRIVER_IN_CLOSE, "a close was answered before it returned");
    expect(seat, !seat->running, "a session was closed before its operation had ended");
    expect(seat, !seat->save.running, "a session was closed before its save had ended");
}

static void on_done(struct tb_op *op)
{
    struct driver_seat *seat = op->user;
    seat->ends++;
    expect(seat, seat->running, "an operation ended twice");
    expect(seat, seat->result.code == 0 || (seat->result.code < 0 && seat->result.message[0]),
           "an operation failed without a word");
    seat->running = false;
    tb_timer_stop(&seat->deadline);
}

static void on_saved(struct tb_str state, bool whole, const struct tb_err *err, void *owner)
{
    struct driver_seat *seat = owner;
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(state);
    seat->save.count++;
    expect(seat, seat->save.running, "a save was answered twice");
    expect(seat, seat->inside != DRIVER_IN_SAVE, "a save was answered before it returned");
    expect(seat, (state.len > 0) == (err == NULL), "a save gave both, or neither");
    expect(seat, err || (tree && state.len <= TB_SAVED_MAX), "a save is not JSON, or too large");
    seat->save.running = false;
    seat->save.whole = whole;
    seat->save.code = err ? err->code : 0;
    tb_buf_clear(&seat->save.state);
    tb_buf_append_str(&seat->save.state, state);
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    (void)timer;
    driver_cancel(user);
}

/* Seats. */

void driver_seat_init(struct driver_seat *seat, struct driver_lab *lab, const char *id)
{
    *seat = (struct driver_seat){.lab = lab, .id = id};
    tb_buf_init(&seat->save.state, TB_SAVED_MAX);
    tb_result_init(&seat->result);
    tb_timer_init(&seat->deadline, lab->core.loop, on_deadline, seat);
}

void driver_seat_check(const struct driver_seat *seat)
{
    if (seat->breach) {
        fail_msg("%s", seat->breach);
    }
}

void driver_seat_fini(struct driver_seat *seat)
{
    if (is_open(seat) && !seat->silent) {
        if (!seat->closing) {
            driver_close_start(seat);
        }
        WAIT_UNTIL(seat->lab->core.loop, seat->closes);
    }
    peer_fini(&seat->peer);
    tb_timer_fini(&seat->deadline);
    tb_result_fini(&seat->result);
    tb_json_free(seat->args);
    tb_brought_unref(seat->invoked, "seat");
    tb_free(seat->raw);
    drop_tools(seat);
    tb_buf_fini(&seat->save.state);
    driver_seat_check(seat);
}

void driver_open_start(struct driver_seat *seat, struct tb_str saved)
{
    static const struct tb_driver_events events = {.on_lost = on_lost,
                                                   .on_event = on_event,
                                                   .on_changed = on_changed,
                                                   .on_tools = on_tools,
                                                   .on_picture = on_picture};
    struct driver_lab *lab = seat->lab;
    const struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = seat->id,
        .saved = saved,
        .deadline_ms = tb_loop_now_ms(lab->core.loop) + OPEN_MS,
        .channel = seat->peer.channel,
        .events = &events,
        .owner = seat,
    };
    lab->subject->driver->open(lab->state, &opts, on_opened);
}

void driver_open_saved(struct driver_seat *seat, struct tb_str saved)
{
    driver_open_start(seat, saved);
    WAIT_UNTIL(seat->lab->core.loop, seat->opens);
    if (!seat->session) {
        fail_msg("%s", seat->refused.text);
    }
}

void driver_open(struct driver_seat *seat)
{
    driver_open_saved(seat, (struct tb_str){NULL, 0});
}

void driver_open_for_peer(struct driver_seat *seat)
{
    peer_open(&seat->peer, seat->lab->core.loop);
    driver_open(seat);
}

int driver_attach(struct driver_seat *seat, struct tb_channel *channel)
{
    struct tb_err err = {0};
    int rc = seat->lab->subject->driver->attach(seat->session, channel, &err);
    expect(seat, rc == 0 || (err.code == rc && err.text[0]), "a peer was refused without a word");
    seat->lost = seat->lost && rc < 0;
    return rc;
}

void driver_close_start(struct driver_seat *seat)
{
    seat->closing = true;
    seat->inside = DRIVER_IN_CLOSE;
    seat->lab->subject->driver->close(seat->session, on_closed, seat);
    seat->inside = DRIVER_IN_NONE;
    expect(seat, !seat->save.running, "a save was still under way when close returned");
}

void driver_close(struct driver_seat *seat)
{
    driver_close_start(seat);
    WAIT_UNTIL(seat->lab->core.loop, seat->closes);
}

static void begin_op(struct driver_seat *seat, struct tb_op op, int64_t ms)
{
    struct driver_lab *lab = seat->lab;
    tb_result_fini(&seat->result);
    tb_result_init(&seat->result);
    seat->op = op;
    seat->op.deadline_ms = tb_loop_now_ms(lab->core.loop) + ms;
    seat->op.result = &seat->result;
    seat->op.done = on_done;
    seat->op.user = seat;
    seat->running = true;
    tb_timer_start(&seat->deadline, ms);
    lab->subject->driver->ops[op.kind](seat->session, &seat->op);
}

void driver_run_start(struct driver_seat *seat, const struct driver_call *call, int64_t ms)
{
    tb_json_free(seat->args);
    seat->args = tb_json_parse(tb_str_of(call->args));
    assert_non_null(seat->args);
    begin_op(seat, (struct tb_op){.kind = call->kind, .args = seat->args}, ms);
}

/* What the operation has is there until it ends, as core sees to, and no longer. */
void driver_invoke_start(struct driver_seat *seat, struct tb_brought *tool, struct tb_str raw,
                         int64_t ms)
{
    struct tb_brought *before = seat->invoked;
    seat->invoked = tb_brought_ref(tool, "seat");
    tb_brought_unref(before, "seat");
    tb_free(seat->raw);
    seat->raw = raw.len ? tb_memdup(raw.ptr, raw.len) : NULL;
    begin_op(seat,
             (struct tb_op){.kind = TB_OP_INVOKE,
                            .brought = tool,
                            .raw = {seat->raw, raw.len},
                            .agent_id = seat->agent_id,
                            .request_id = seat->request_id},
             ms);
}

int driver_invoke(struct driver_seat *seat, struct tb_brought *tool, struct tb_str raw)
{
    driver_invoke_start(seat, tool, raw, OPEN_MS);
    WAIT_UNTIL(seat->lab->core.loop, !seat->running);
    return seat->result.code;
}

int driver_run(struct driver_seat *seat, const struct driver_call *call)
{
    driver_run_start(seat, call, OPEN_MS);
    WAIT_UNTIL(seat->lab->core.loop, !seat->running);
    return seat->result.code;
}

void driver_cancel(struct driver_seat *seat)
{
    if (seat->running && seat->op.cancel) {
        seat->op.cancel(&seat->op);
    }
}

void driver_save_start(struct driver_seat *seat)
{
    const struct tb_driver *driver = seat->lab->subject->driver;
    seat->save.running = true;
    seat->inside = DRIVER_IN_SAVE;
    driver->save(seat->session, tb_loop_now_ms(seat->lab->core.loop) + SAVE_MS, on_saved, seat);
    seat->inside = DRIVER_IN_NONE;
}

void driver_save(struct driver_seat *seat)
{
    driver_save_start(seat);
    WAIT_UNTIL(seat->lab->core.loop, !seat->save.running);
    assert_int_equal(seat->save.code, 0);
}

void driver_watch(struct driver_seat *seat, bool on)
{
    static const struct tb_want want = {USUAL_WIDTH, USUAL_HEIGHT};
    seat->frame_wanted = on;
    seat->lab->subject->driver->watch(seat->session, on ? &want : NULL);
}

void driver_watch_larger(struct driver_seat *seat, int times)
{
    const struct tb_want want = {times * USUAL_WIDTH, times * USUAL_HEIGHT};
    seat->frame_wanted = true;
    seat->lab->subject->driver->watch(seat->session, &want);
}

void driver_next_picture(struct driver_seat *seat)
{
    seat->frame_wanted = true;
    seat->lab->subject->driver->next_picture(seat->session);
}
