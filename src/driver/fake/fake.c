/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/fake/fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/toolbox.h"
#include "driver/fake/peer.h"
#include "driver/fake/play.h"
#include "io/timer.h"

enum waits_for {
    NOTHING,
    OPENING,
    CLOSING,
};

enum {
    TAG_SIZE = 64,
    SAVED_SIZE = TAG_SIZE + 16,
    LOOK_MAX = 1024,
};

struct tb_driver_session {
    struct tb_fake *fake;
    struct tb_list link;
    char id[TB_ID_SIZE];
    const struct tb_driver_events *events;
    void *owner;
    struct tb_timer timer;
    enum waits_for waits_for;
    int code; /* how that ends */
    bool open;
    tb_open_fn *open_fn;
    tb_closed_fn *closed_fn;
    void *closed_owner;
    struct tb_list works; /* oldest first */
    size_t work_count;
    struct tb_timer save_timer;
    bool saving;
    tb_saved_fn *saved_fn;
    void *saved_owner;
    char tag[TAG_SIZE];
    bool restored;
    bool watched;
    bool picture_wanted;
    char *look;                   /* that nobody was shown yet; NULL: none */
    struct tb_brought_list tools; /* that it brings along */
    struct tb_fake_peer peer;
    struct tb_pass *pass; /* for the forward proxy; NULL: it needs none */
};

/* An operation under way. */
struct work {
    struct tb_list link;
    struct tb_driver_session *session;
    struct tb_op *op;
    struct tb_timer timer;
    int code; /* how it ends */
    struct tb_fake_ask ask;
};

/* A breach of the contract by core; tests run with asserts or without. */
static void must(bool kept)
{
    if (!kept) {
        abort();
    }
}

static void work_free(struct work *work)
{
    tb_list_remove(&work->link);
    tb_list_remove(&work->ask.link);
    work->session->work_count--;
    tb_timer_fini(&work->timer);
    tb_free(work);
}

static struct work *oldest_work(struct tb_driver_session *session)
{
    return tb_list_empty(&session->works) ? NULL
                                          : TB_CONTAINER(session->works.next, struct work, link);
}

static void session_free(struct tb_driver_session *session)
{
    while (!tb_list_empty(&session->works)) {
        work_free(oldest_work(session));
    }
    tb_timer_fini(&session->timer);
    tb_timer_fini(&session->save_timer);
    tb_fake_peer_drop(&session->peer);
    tb_list_remove(&session->link);
    tb_pass_free(session->pass);
    tb_free(session->look);
    tb_brought_list_clear(&session->tools);
    tb_free(session);
}

static void remember(struct tb_driver_session *session, const struct cJSON *args)
{
    struct tb_str tag;
    if (tb_json_str(tb_json_get(args, "tag"), &tag) && !tb_str_eq_cstr(tag, session->tag)) {
        snprintf(session->tag, sizeof(session->tag), "%.*s", TB_STR_ARG(tag));
        session->events->on_changed(session->owner);
    }
}

/* `answer` is what its peer said; empty: it was not asked. */
static void end_work_with(struct work *work, int code, struct tb_str answer)
{
    struct tb_driver_session *session = work->session;
    struct tb_op *op = work->op;
    work_free(work);
    session->fake->counts.ended++;
    session->fake->counts.at_work--;
    op->typed = session->fake->types;
    op->last_ref = session->fake->last_ref;
    if (code < 0) {
        tb_result_fail(op->result, code, "the fake driver says %s", tb_err_name(code));
    } else if (op->kind == TB_OP_INVOKE) {
        /* Whatever it is given comes back; nothing at all as null. */
        struct tb_str own = op->raw.len ? op->raw : TB_STR("null");
        tb_buf_append_str(&op->result->raw, answer.len ? answer : own);
        tb_fake_note_invoked(session->fake, op);
    } else {
        tb_fake_give(session->fake, op);
        remember(session, op->args);
    }
    tb_op_done(op);
}

static void end_work(struct work *work, int code)
{
    end_work_with(work, code, TB_STR(""));
}

static void end_open(struct tb_driver_session *session, int code)
{
    tb_open_fn *fn = session->open_fn;
    void *owner = session->owner;
    struct tb_err err;
    if (code < 0) {
        tb_fail(&err, code, "the fake browser did not start");
        session_free(session);
        fn(NULL, &err, owner);
        return;
    }
    session->open = true;
    session->fake->counts.opened++;
    fn(session, NULL, owner);
}

static void end_close(struct tb_driver_session *session)
{
    tb_closed_fn *fn = session->closed_fn;
    void *owner = session->closed_owner;
    session->fake->counts.closed++;
    session_free(session);
    fn(owner);
}

static void end_save(struct tb_driver_session *session, int code)
{
    char state[SAVED_SIZE];
    struct tb_err err;
    session->saving = false;
    tb_timer_stop(&session->save_timer);
    if (code < 0) {
        tb_fail(&err, code, "the fake browser could not be saved");
        session->saved_fn(TB_STR(""), false, &err, session->saved_owner);
        return;
    }
    session->fake->counts.saved++;
    snprintf(state, sizeof(state), "{\"tag\":\"%s\"}", session->tag);
    session->saved_fn(tb_str_of(state), !session->fake->blind, NULL, session->saved_owner);
}

static void end(struct tb_driver_session *session, int code)
{
    enum waits_for what = session->waits_for;
    session->waits_for = NOTHING;
    tb_timer_stop(&session->timer);
    if (what == OPENING) {
        end_open(session, code);
    } else if (what == CLOSING) {
        end_close(session);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_driver_session *session = user;
    (void)timer;
    end(session, session->code);
}

static void on_work_timer(struct tb_timer *timer, void *user)
{
    struct work *work = user;
    (void)timer;
    end_work(work, work->code);
}

static void on_save_timer(struct tb_timer *timer, void *user)
{
    struct tb_driver_session *session = user;
    (void)timer;
    end_save(session, session->fake->save.code);
}

static void begin(struct tb_driver_session *session, enum waits_for what,
                  const struct tb_fake_plan *plan)
{
    session->waits_for = what;
    session->code = plan->code;
    if (plan->when == TB_FAKE_NOW && what != CLOSING) {
        end(session, plan->code);
    } else if (plan->when != TB_FAKE_HELD) {
        tb_timer_start(&session->timer, plan->delay_ms);
    }
}

static void on_cancel(struct tb_op *op)
{
    struct work *work = op->driver_state;
    struct tb_fake *fake = work->session->fake;
    fake->counts.cancelled++;
    if (fake->ops[op->kind].cancel == TB_FAKE_CANCEL_ENDS) {
        end_work(work, TB_E_CANCELLED);
    }
}

/* Its peer. */

static void on_answer(struct tb_fake_ask *ask, bool well, struct tb_str answer)
{
    end_work_with(TB_CONTAINER(ask, struct work, ask), well ? 0 : TB_E_SCRIPT, answer);
}

static void on_peer_gone(struct tb_fake_peer *peer)
{
    struct tb_driver_session *session = TB_CONTAINER(peer, struct tb_driver_session, peer);
    session->watched = false;
    if (session->open) {
        session->events->on_lost(session->owner, TB_END_CLIENT_DISCONNECTED, TB_LOSS_AWAY,
                                 "the fake page was closed");
    } else if (session->waits_for == OPENING) {
        end(session, TB_E_CLOSED);
    }
}

static int attach(struct tb_driver_session *session, struct tb_channel *channel, struct tb_err *err)
{
    must(session->open && session->waits_for == NOTHING);
    int rc = tb_fake_peer_join(&session->peer, channel);
    session->fake->counts.attached += rc == 0;
    return rc < 0 ? tb_fail(err, rc, "the fake page has already gone") : 0;
}

static void run(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_fake *fake = session->fake;
    const struct tb_fake_plan *plan = &fake->ops[op->kind];
    must(session->open && session->waits_for == NOTHING && session->work_count < fake->width);
    must(!session->saving || fake->saves_beside);
    if (tb_fake_refuses(session->events, session->owner, op)) {
        return;
    }
    struct work *work = TB_NEW(struct work);
    *work = (struct work){.session = session, .op = op, .code = plan->code};
    tb_timer_init(&work->timer, fake->core->loop, on_work_timer, work);
    tb_list_append(&session->works, &work->link);
    session->work_count++;
    op->driver_state = work;
    op->cancel = plan->cancel == TB_FAKE_CANCEL_NONE ? NULL : on_cancel;
    fake->counts.begun++;
    fake->counts.at_work++;
    fake->counts.at_work_most += fake->counts.at_work > fake->counts.at_work_most;
    for (int i = 1; i <= plan->progress; i++) {
        op->progress(op, i, plan->progress, "working");
    }
    if (op->kind == TB_OP_INVOKE && session->peer.channel) {
        work->ask =
            (struct tb_fake_ask){.name = op->brought->name, .args = op->raw, .answered = on_answer};
        tb_fake_peer_ask(&session->peer, &work->ask, ++fake->asked);
    } else if (op->kind == TB_OP_INVOKE && !tb_brought_list_has(&session->tools, op->brought)) {
        end_work(work, TB_E_UNKNOWN_TOOL);
    } else if (plan->when == TB_FAKE_NOW) {
        end_work(work, plan->code);
    } else if (plan->when == TB_FAKE_LATER) {
        tb_timer_start(&work->timer, plan->delay_ms);
    }
}

static void *start(struct tb_core *core)
{
    struct tb_fake *fake = TB_NEW(struct tb_fake);
    fake->core = core;
    fake->width = 1;
    tb_list_init(&fake->sessions);
    return fake;
}

static void stop(void *state)
{
    struct tb_fake *fake = state;
    while (!tb_list_empty(&fake->sessions)) {
        session_free(TB_CONTAINER(fake->sessions.next, struct tb_driver_session, link));
    }
    tb_free(fake);
}

static void open(void *state, const struct tb_open_opts *opts, tb_open_fn *fn)
{
    struct tb_fake *fake = state;
    tb_fake_note_args(fake, opts->args);
    fake->before = opts->last_ref;
    struct tb_driver_session *session = TB_NEW(struct tb_driver_session);
    session->fake = fake;
    session->events = opts->events;
    session->owner = opts->owner;
    session->open_fn = fn;
    tb_list_init(&session->works);
    tb_fake_peer_init(&session->peer, on_peer_gone);
    must(strlen(opts->session_id) < sizeof(session->id));
    memcpy(session->id, opts->session_id, strlen(opts->session_id));
    if (opts->saved.len) {
        TB_AUTO(tb_json_free) struct cJSON *saved = tb_json_parse(opts->saved);
        struct tb_str tag;
        must(tb_json_str(tb_json_get(saved, "tag"), &tag));
        snprintf(session->tag, sizeof(session->tag), "%.*s", TB_STR_ARG(tag));
        session->restored = true;
    }
    session->pass = tb_fake_pass(fake->core, opts->egress);
    tb_list_append(&fake->sessions, &session->link);
    tb_timer_init(&session->timer, fake->core->loop, on_timer, session);
    tb_timer_init(&session->save_timer, fake->core->loop, on_save_timer, session);
    struct tb_fake_plan plan = fake->open;
    if (opts->channel && tb_fake_peer_join(&session->peer, opts->channel) < 0) {
        plan.code = TB_E_CLOSED;
    }
    begin(session, OPENING, &plan);
}

static void close(struct tb_driver_session *session, tb_closed_fn *fn, void *owner)
{
    must(session->open);
    session->open = false;
    while (!tb_list_empty(&session->works)) {
        end_work(oldest_work(session), TB_E_CLOSED);
    }
    if (session->saving) {
        end_save(session, TB_E_CLOSED);
    }
    tb_fake_peer_drop(&session->peer);
    session->closed_fn = fn;
    session->closed_owner = owner;
    begin(session, CLOSING, &session->fake->close);
}

static void save(struct tb_driver_session *session, int64_t deadline_ms, tb_saved_fn *fn,
                 void *owner)
{
    const struct tb_fake_plan *plan = &session->fake->save;
    must(session->open && session->waits_for == NOTHING && !session->work_count);
    must(!session->saving);
    must(deadline_ms > tb_loop_now_ms(session->fake->core->loop));
    session->saved_fn = fn;
    session->saved_owner = owner;
    session->saving = true;
    if (plan->when != TB_FAKE_HELD) {
        tb_timer_start(&session->save_timer, plan->delay_ms);
    }
}

static struct tb_restored restored(struct tb_driver_session *session)
{
    const struct tb_fake *fake = session->fake;
    must(session->open);
    return session->restored
               ? (struct tb_restored){fake->missing, fake->typed_lost, fake->saved_ref}
               : (struct tb_restored){0};
}

static bool detach(struct tb_driver_session *session)
{
    session->fake->counts.detached += session->fake->detachable;
    return session->fake->detachable;
}

static void describe(struct tb_driver_session *session, struct tb_json_writer *json)
{
    must(session->open || session->waits_for == CLOSING);
    tb_fake_describe(session->fake->core, session->pass, json);
}

static void tabs(struct tb_driver_session *session, tb_tab_fn *fn, void *user)
{
    must(session->open || session->waits_for == CLOSING);
    for (const char *const *url = session->fake->tabs; url && *url; url++) {
        fn(tb_str_of(*url), user);
    }
}

static void show(struct tb_driver_session *session)
{
    if (!session->watched || !session->picture_wanted || !session->look) {
        return;
    }
    struct tb_picture *picture = tb_picture_new("image/png", LOOK_MAX);
    tb_buf_append_cstr(&picture->bytes, session->look);
    tb_free(session->look);
    session->look = NULL;
    session->picture_wanted = false;
    session->fake->counts.frames++;
    session->events->on_picture(session->owner, picture);
    tb_picture_unref(picture, "shown");
}

static void watch(struct tb_driver_session *session, const struct tb_want *want)
{
    struct tb_fake *fake = session->fake;
    must(session->open);
    must(session->watched || want); /* it was asked for what ends now */
    fake->counts.watches += want != NULL;
    fake->counts.unwatches += want == NULL;
    fake->want = want ? *want : (struct tb_want){0, 0};
    session->watched = want != NULL;
    session->picture_wanted = true;
    show(session);
}

static void next_picture(struct tb_driver_session *session)
{
    must(session->open && session->watched && !session->picture_wanted);
    session->picture_wanted = true;
    show(session);
}

static void input(struct tb_driver_session *session, const struct tb_input *what)
{
    must(session->open);
    session->fake->counts.inputs++;
    session->fake->input = *what;
    session->fake->input.text = TB_STR("");
}

static struct tb_driver_session *find(struct tb_fake *fake, const char *session_id)
{
    LIST_FOREACH(link, &fake->sessions) {
        struct tb_driver_session *session = TB_CONTAINER(link, struct tb_driver_session, link);
        if (strcmp(session->id, session_id) == 0) {
            return session;
        }
    }
    return NULL;
}

/* What ends next, and how by its plan; false: the session waits for nothing. */
static bool next_end(struct tb_driver_session *session, int *ret_code)
{
    const struct work *work = oldest_work(session);
    *ret_code = work                            ? work->code
                : session->waits_for != NOTHING ? session->code
                                                : session->fake->save.code;
    return work || session->waits_for != NOTHING || session->saving;
}

bool tb_fake_release_with(struct tb_fake *fake, const char *session_id, int code)
{
    struct tb_driver_session *session = find(fake, session_id);
    int planned;
    if (!session || !next_end(session, &planned)) {
        return false;
    }
    if (session->work_count) {
        end_work(oldest_work(session), code);
    } else if (session->waits_for != NOTHING) {
        end(session, code);
    } else {
        end_save(session, code);
    }
    return true;
}

bool tb_fake_release(struct tb_fake *fake, const char *session_id)
{
    struct tb_driver_session *session = find(fake, session_id);
    int code;
    return session && next_end(session, &code) && tb_fake_release_with(fake, session_id, code);
}

bool tb_fake_lose(struct tb_fake *fake, const char *session_id)
{
    return tb_fake_lose_for(fake, session_id, TB_END_BROWSER_CRASHED, TB_LOSS_RESTORABLE,
                            "killed by signal 9");
}

bool tb_fake_lose_for(struct tb_fake *fake, const char *session_id, enum tb_end_reason reason,
                      enum tb_loss loss, const char *detail)
{
    struct tb_driver_session *session = find(fake, session_id);
    if (!session || (!session->open && session->waits_for != CLOSING)) {
        return false;
    }
    session->watched = false;
    session->events->on_lost(session->owner, reason, loss, detail);
    return true;
}

bool tb_fake_listen(struct tb_fake *fake, const char *session_id, bool listens)
{
    struct tb_driver_session *session = find(fake, session_id);
    if (!session || !session->peer.channel) {
        return false;
    }
    session->peer.deaf = !listens;
    if (listens) {
        tb_channel_ready(session->peer.channel, TB_CHANNEL_DRIVER);
    }
    return true;
}

const char *tb_fake_memory(struct tb_fake *fake, const char *session_id)
{
    const struct tb_driver_session *session = find(fake, session_id);
    return session && session->open ? session->tag : NULL;
}

bool tb_fake_draw(struct tb_fake *fake, const char *session_id, const char *look)
{
    struct tb_driver_session *session = find(fake, session_id);
    if (!session || !session->open || !session->watched) {
        return false;
    }
    tb_free(session->look);
    session->look = tb_strdup(look);
    show(session);
    return true;
}

bool tb_fake_emit(struct tb_fake *fake, const char *session_id, const struct tb_event *event)
{
    struct tb_driver_session *session = find(fake, session_id);
    if (!session || !session->open) {
        return false;
    }
    session->events->on_event(session->owner, event);
    return true;
}

bool tb_fake_bring_take(struct tb_fake *fake, const char *session_id, struct tb_brought **tools,
                        size_t count)
{
    struct tb_driver_session *session = find(fake, session_id);
    if (!session || !session->open) {
        return false;
    }
    tb_fake_tools_note(&session->tools, tools, count);
    session->events->on_tools(session->owner, tools, count);
    return true;
}

static const struct tb_offer offers[] = {
    {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
    {TB_KIND_BROWSER, TB_PROVIDER_CDP, TB_ENGINE_AUTO},
    TB_OFFER_END,
};

const struct tb_driver tb_driver_fake = {
    .name = "fake",
    .offers = offers,
    .width = 1,
    .start = start,
    .stop = stop,
    .open = open,
    .attach = attach,
    .close = close,
    .detach = detach,
    .save = save,
    .restored = restored,
    .describe = describe,
    .tabs = tabs,
    .watch = watch,
    .next_picture = next_picture,
    .input = input,
    .ops =
        {
#define TB_OP(NAME, name, acts) [TB_OP_##NAME] = run,
#include "core/ops.def"
#undef TB_OP
        },
};
