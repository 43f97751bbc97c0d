/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/client/client.h"

#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "driver/client/session.h"

enum {
    WIDTH = 30, /* calls that one page answers at a time */
    REPLY_MAX = 4 * TB_KIB,
};

static void *start(struct tb_core *core)
{
    struct tb_client *client = TB_NEW(struct tb_client);
    client->core = core;
    tb_list_init(&client->sessions);
    return client;
}

static void session_free(struct tb_driver_session *session)
{
    tb_list_remove(&session->link);
    tb_deferred_cancel(&session->closing);
    tb_client_end_calls(session, 0);
    tb_client_page_drop(session);
    tb_brought_list_clear(&session->tools);
    tb_buf_fini(&session->reply.id);
    tb_buf_fini(&session->reply.body);
    tb_free(session);
}

static void stop(void *state)
{
    struct tb_client *client = state;
    LIST_FOREACH_SAFE(link, &client->sessions) {
        session_free(TB_CONTAINER(link, struct tb_driver_session, link));
    }
    tb_free(client);
}

static void on_closing(struct tb_deferred *job)
{
    struct tb_driver_session *session = TB_CONTAINER(job, struct tb_driver_session, closing);
    tb_closed_fn *fn = session->closed_fn;
    void *owner = session->closed_owner;
    session_free(session);
    fn(owner);
}

static struct tb_driver_session *session_new(struct tb_client *client,
                                             const struct tb_open_opts *opts)
{
    struct tb_driver_session *session = TB_NEW(struct tb_driver_session);
    session->client = client;
    session->events = opts->events;
    session->owner = opts->owner;
    session->closing.run = on_closing;
    tb_list_init(&session->closing.link);
    tb_list_init(&session->asks);
    tb_buf_init(&session->reply.id, TB_JSONRPC_ID_MAX);
    tb_buf_init(&session->reply.body, REPLY_MAX);
    tb_list_append(&client->sessions, &session->link);
    return session;
}

/* `when` is the rest of a sentence about a page that has gone. */
static int fail_join(int rc, const char *when, struct tb_err *err)
{
    return rc == TB_E_EXISTS ? tb_fail(err, rc, "the page is that of another session already")
                             : tb_fail(err, rc, "the page disconnected %s", when);
}

static void open(void *state, const struct tb_open_opts *opts, tb_open_fn *fn)
{
    struct tb_err err;
    if (!opts->channel) {
        tb_fail(&err, TB_E_NOT_POSSIBLE, "a session of kind client begins when its page connects");
        fn(NULL, &err, opts->owner);
        return;
    }
    struct tb_driver_session *session = session_new(state, opts);
    int rc = tb_client_page_join(session, opts->channel);
    if (rc < 0) {
        fail_join(rc, "before its session was open", &err);
        session_free(session);
        fn(NULL, &err, opts->owner);
        return;
    }
    fn(session, NULL, opts->owner);
}

static int attach(struct tb_driver_session *session, struct tb_channel *channel, struct tb_err *err)
{
    int rc = tb_client_page_join(session, channel);
    return rc < 0 ? fail_join(rc, "again", err) : 0;
}

static void close(struct tb_driver_session *session, tb_closed_fn *fn, void *owner)
{
    tb_client_end_calls(session, TB_E_CLOSED);
    tb_client_page_drop(session);
    session->closed_fn = fn;
    session->closed_owner = owner;
    tb_loop_defer(session->client->core->loop, &session->closing);
}

static void describe(struct tb_driver_session *session, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_member_bool(json, "connected", session->page != NULL);
    tb_json_member_int(json, "tools", (int64_t)session->tools.count);
    tb_json_object_close(json);
}

const struct tb_driver tb_driver_client = {
    .name = "client",
    .offers = (const struct tb_offer[]){{TB_KIND_CLIENT, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
                                        TB_OFFER_END},
    .width = WIDTH,
    .start = start,
    .stop = stop,
    .open = open,
    .attach = attach,
    .close = close,
    .describe = describe,
    .ops = {[TB_OP_INVOKE] = tb_client_invoke},
};
