/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/subscriptions.h"

#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "core/toolbox.h"
#include "front/mcp/methods.h"
#include "front/mcp/resources.h"
#include "front/mcp/result.h"
#include "front/mcp/server.h"
#include "front/mcp/ws.h"

#define SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

enum {
    URI_MAX = 2 * TB_KIB,
    NOTE_MAX = 16 * TB_KIB,
};

struct interest {
    struct tb_list link;
    struct tb_str uri; /* in the same block of memory */
    const struct tb_mcp_resource *resource;
    struct tb_str arg; /* of the URI: which session */
};

/* An open subscriptions/listen. */
struct listen {
    struct tb_list link; /* of mcp->listens */
    struct tb_mcp_req *req;
    struct tb_principal *who; /* a reference: it may outlive the request's peer */
    bool tools;
    char brings[TB_ID_SIZE]; /* as of struct tb_mcp_peer */
    bool prompts;
    struct tb_list interests;
    size_t interest_count;
};

/* Interests. */

static void interest_free(struct interest *interest)
{
    tb_list_remove(&interest->link);
    tb_free(interest);
}

static void clear(struct tb_list *interests, size_t *count)
{
    LIST_FOREACH_SAFE(link, interests) {
        interest_free(TB_CONTAINER(link, struct interest, link));
    }
    *count = 0;
}

static struct interest *find(struct tb_list *interests, struct tb_str uri)
{
    LIST_FOREACH(link, interests) {
        struct interest *interest = TB_CONTAINER(link, struct interest, link);
        if (tb_str_eq(interest->uri, uri)) {
            return interest;
        }
    }
    return NULL;
}

/* For a URI that tb_mcp_resource_find knows. */
static void add(const struct tb_mcp *mcp, struct tb_list *interests, size_t *count,
                struct tb_str uri)
{
    struct interest *interest = tb_zalloc(sizeof(*interest) + uri.len);
    memcpy(interest + 1, uri.ptr, uri.len);
    interest->uri = (struct tb_str){(const char *)(interest + 1), uri.len};
    interest->resource = tb_mcp_resource_find(mcp, interest->uri, &interest->arg);
    tb_list_append(interests, &interest->link);
    ++*count;
}

/* The bus. */

static const struct {
    enum tb_event_type event;
    enum tb_op_kind op; /* whose resource is another one now; none: the list of sessions */
} effects[] = {
    {TB_EVENT_SESSION_STARTED, TB_OP_NONE},    {TB_EVENT_SESSION_ENDED, TB_OP_NONE},
    {TB_EVENT_NAVIGATED, TB_OP_SNAPSHOT},      {TB_EVENT_NAVIGATED, TB_OP_SCREENSHOT},
    {TB_EVENT_DOWNLOAD_DONE, TB_OP_DOWNLOADS},
};

/* The operations whose resources the event changes, a bit each. */
static uint64_t ops_changed(enum tb_event_type event)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < TB_COUNT(effects); i++) {
        ops |= effects[i].event == event ? UINT64_C(1) << effects[i].op : 0;
    }
    return ops;
}

/* True if the event, which changes what these operations show, changes it for the reader. */
static bool concerns(const struct tb_mcp *mcp, const struct tb_event *event, uint64_t ops,
                     const struct tb_caller *reader, const struct interest *interest)
{
    if (!(ops >> interest->resource->op & 1)) {
        return false;
    }
    if (!tb_mcp_resource_is_template(interest->resource)) {
        return true;
    }
    const struct tb_session *session =
        tb_sessions_reach(mcp->core->sessions, reader, interest->arg);
    return session && tb_str_eq_cstr(tb_str_of(tb_session_info(session).id), event->session_id);
}

static void write_updated(struct tb_str uri, struct tb_str listen_id, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    if (listen_id.len) {
        tb_json_key(&json, "_meta");
        tb_json_object_open(&json);
        tb_json_member_raw(&json, SUBSCRIPTION_ID, listen_id);
        tb_json_object_close(&json);
    }
    if (uri.len) {
        tb_json_member_str(&json, "uri", uri);
    }
    tb_json_object_close(&json);
}

static void tell_peer(struct tb_mcp_peer *peer, const char *method, struct tb_str uri)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(NOTE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(NOTE_MAX);
    if (uri.len) {
        write_updated(uri, TB_STR(""), &params);
    }
    if (tb_jsonrpc_write_request(TB_STR(""), tb_str_of(method), tb_buf_str(&params), &message) ==
        0) {
        peer->notify(peer, tb_buf_str(&message));
    }
}

static void tell_listen(struct listen *listen, const char *method, struct tb_str uri)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(NOTE_MAX);
    write_updated(uri, listen->req->id, &params);
    tb_mcp_req_notify(listen->req, method, tb_buf_str(&params));
}

static const char updated[] = "notifications/resources/updated";

static void update_peer(struct tb_mcp_peer *peer, const struct tb_event *event, uint64_t ops)
{
    const struct tb_caller reader = tb_mcp_peer_caller(peer);
    if (strcmp(reader.who->tenant, event->tenant) != 0) {
        return;
    }
    LIST_FOREACH(link, &peer->interests) {
        const struct interest *interest = TB_CONTAINER(link, struct interest, link);
        if (concerns(peer->mcp, event, ops, &reader, interest)) {
            tell_peer(peer, updated, interest->uri);
        }
    }
}

static void update_listen(struct listen *listen, const struct tb_event *event, uint64_t ops)
{
    const struct tb_caller reader = tb_mcp_req_caller(listen->req);
    if (strcmp(reader.who->tenant, event->tenant) != 0) {
        return;
    }
    LIST_FOREACH(link, &listen->interests) {
        const struct interest *interest = TB_CONTAINER(link, struct interest, link);
        if (concerns(listen->req->mcp, event, ops, &reader, interest)) {
            tell_listen(listen, updated, interest->uri);
        }
    }
}

/* The list of tools. */

static const char tools_changed[] = "notifications/tools/list_changed";

/* Whoever could call them hears that they are others now. */
static bool sees(const struct tb_mcp *mcp, const struct tb_event *event,
                 const struct tb_caller *reader)
{
    return strcmp(reader->who->tenant, event->tenant) == 0 &&
           tb_sessions_reach(mcp->core->sessions, reader, tb_str_of(event->session_id));
}

/* Notes which session brings the reader tools; true if it is another one than at the last look. */
static bool look(const struct tb_mcp *mcp, const struct tb_caller *reader, char brings[TB_ID_SIZE])
{
    const struct tb_session *session = tb_resolve_meant(mcp->core->sessions, reader);
    const char *id = session && tb_toolbox_brought(session) ? tb_session_info(session).id : "";
    if (strcmp(brings, id) == 0) {
        return false;
    }
    snprintf(brings, TB_ID_SIZE, "%s", id);
    return true;
}

/* The tools of one session (NULL: of none) are others now, or another session is meant. */
static void tell_tools_peer(struct tb_mcp_peer *peer, const struct tb_event *event)
{
    const struct tb_caller reader = tb_mcp_peer_caller(peer);
    bool another = peer->introduced && look(peer->mcp, &reader, peer->brings);
    if (another || (event && peer->introduced && sees(peer->mcp, event, &reader))) {
        tell_peer(peer, tools_changed, TB_STR(""));
    }
}

static void tell_tools_listen(struct listen *listen, const struct tb_event *event)
{
    const struct tb_mcp *mcp = listen->req->mcp;
    const struct tb_caller reader = tb_mcp_req_caller(listen->req);
    bool another = listen->tools && look(mcp, &reader, listen->brings);
    if (another || (event && listen->tools && sees(mcp, event, &reader))) {
        tell_listen(listen, tools_changed, TB_STR(""));
    }
}

static void tell_tools(const struct tb_mcp *mcp, const struct tb_event *event)
{
    LIST_FOREACH(link, &mcp->peers) {
        tell_tools_peer(TB_CONTAINER(link, struct tb_mcp_peer, link), event);
    }
    LIST_FOREACH(link, &mcp->listens) {
        tell_tools_listen(TB_CONTAINER(link, struct listen, link), event);
    }
}

static void on_meant(struct tb_deferred *job)
{
    tell_tools(TB_CONTAINER(job, struct tb_mcp, meant), NULL);
}

void tb_mcp_tools_listed(struct tb_mcp_req *req)
{
    const struct tb_caller reader = tb_mcp_peer_caller(req->peer);
    if (req->mcp->brings) {
        look(req->mcp, &reader, req->peer->brings);
    }
}

void tb_mcp_call_ended(const struct tb_mcp_req *req)
{
    if (!req->mcp->brings) {
        return;
    }
    if (req->peer->notify) {
        tell_tools_peer(req->peer, NULL);
    }
    LIST_FOREACH(link, &req->mcp->listens) {
        struct listen *listen = TB_CONTAINER(link, struct listen, link);
        if (strcmp(listen->req->conversation, req->conversation) == 0) {
            tell_tools_listen(listen, NULL);
        }
    }
}

static void on_event(const struct tb_event *event, void *user)
{
    struct tb_mcp *mcp = user;
    if (event->type == TB_EVENT_TOOLS_CHANGED) {
        tell_tools(mcp, event);
        return;
    }
    if (event->type == TB_EVENT_SESSION_ENDED) {
        tb_mcp_ws_session_ended(mcp, event->session_id);
    }
    if (mcp->brings &&
        (event->type == TB_EVENT_SESSION_STARTED || event->type == TB_EVENT_SESSION_ENDED)) {
        mcp->meant.run = on_meant; /* later: which one is meant is not settled yet */
        tb_loop_defer(mcp->core->loop, &mcp->meant);
    }
    uint64_t ops = ops_changed(event->type);
    if (!ops) {
        return; /* every call publishes some of these, however many are subscribed */
    }
    LIST_FOREACH(link, &mcp->peers) {
        update_peer(TB_CONTAINER(link, struct tb_mcp_peer, link), event, ops);
    }
    LIST_FOREACH(link, &mcp->listens) {
        update_listen(TB_CONTAINER(link, struct listen, link), event, ops);
    }
}

/* Events cost every call something, so we listen only when we have to. */
static void mind_bus(struct tb_mcp *mcp)
{
    bool wanted = mcp->listen_count > 0 || (mcp->brings && !tb_list_empty(&mcp->peers));
    LIST_FOREACH(link, &mcp->peers) {
        wanted = wanted || TB_CONTAINER(link, struct tb_mcp_peer, link)->interest_count > 0;
    }
    tb_bus_unsubscribe(&mcp->bus);
    if (wanted) {
        mcp->bus.fn = on_event;
        mcp->bus.user = mcp;
        tb_bus_subscribe(&mcp->core->bus, &mcp->bus);
    }
}

void tb_mcp_peers_changed(struct tb_mcp *mcp)
{
    if (mcp->brings) {
        mind_bus(mcp);
    }
}

void tb_mcp_interests_clear(struct tb_mcp_peer *peer)
{
    if (peer->interest_count) {
        clear(&peer->interests, &peer->interest_count);
        mind_bus(peer->mcp);
    }
}

void tb_mcp_list_changed(struct tb_mcp *mcp, const char *list)
{
    char method[64];
    snprintf(method, sizeof(method), "notifications/%s/list_changed", list);
    bool tools = strcmp(list, "tools") == 0;
    LIST_FOREACH(link, &mcp->peers) {
        struct tb_mcp_peer *peer = TB_CONTAINER(link, struct tb_mcp_peer, link);
        if (peer->introduced) {
            tell_peer(peer, method, TB_STR(""));
        }
    }
    LIST_FOREACH(link, &mcp->listens) {
        struct listen *listen = TB_CONTAINER(link, struct listen, link);
        if (tools ? listen->tools : listen->prompts) {
            tell_listen(listen, method, TB_STR(""));
        }
    }
}

/* Legacy methods. */

static bool take_uri(struct tb_mcp_req *req, struct tb_str *ret_uri)
{
    struct tb_str arg;
    if (!tb_json_str(tb_json_get(tb_mcp_req_params(req), "uri"), ret_uri) ||
        ret_uri->len > URI_MAX) {
        tb_mcp_req_fail(req, -32602, "params.uri must be the URI of a resource");
        return false;
    }
    if (!tb_mcp_resource_find(req->mcp, *ret_uri, &arg)) {
        tb_mcp_resource_missing(req, *ret_uri);
        return false;
    }
    return true;
}

void tb_mcp_subscribe(struct tb_mcp_req *req)
{
    struct tb_str uri;
    struct tb_mcp_peer *peer = req->peer;
    if (!take_uri(req, &uri)) {
        return;
    }
    if (peer->interest_count >= TB_MCP_INTERESTS) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_LIMIT)->rpc_code,
                        "at most %d resources can be watched at once", TB_MCP_INTERESTS);
        return;
    }
    if (!find(&peer->interests, uri)) {
        add(peer->mcp, &peer->interests, &peer->interest_count, uri);
        mind_bus(peer->mcp);
    }
    tb_mcp_result_empty(req);
}

void tb_mcp_unsubscribe(struct tb_mcp_req *req)
{
    struct tb_str uri;
    struct tb_mcp_peer *peer = req->peer;
    if (!take_uri(req, &uri)) {
        return;
    }
    struct interest *interest = find(&peer->interests, uri);
    if (interest) {
        interest_free(interest);
        peer->interest_count--;
        mind_bus(peer->mcp);
    }
    tb_mcp_result_empty(req);
}

/* subscriptions/listen. */

static void listen_free(void *own)
{
    struct listen *listen = own;
    struct tb_mcp *mcp = listen->req->mcp;
    tb_list_remove(&listen->link);
    clear(&listen->interests, &listen->interest_count);
    tb_rates_close_stream(mcp->core, listen->who);
    tb_principal_unref(listen->who, "listen");
    tb_free(listen);
    mcp->listen_count--;
    mind_bus(mcp);
}

static bool wants(const struct cJSON *filter, const char *key)
{
    bool value = false;
    return tb_json_bool(tb_json_get(filter, key), &value) && value;
}

/* Only what we can honour is taken from the filter. */
static void take_filter(struct listen *listen, const struct cJSON *filter)
{
    const struct tb_mcp *mcp = listen->req->mcp;
    listen->tools = (mcp->list_changes || mcp->brings) && wants(filter, "toolsListChanged");
    listen->prompts = mcp->list_changes && wants(filter, "promptsListChanged");
    JSON_ARRAY_FOREACH(item, tb_json_get(filter, "resourceSubscriptions")) {
        struct tb_str uri;
        struct tb_str arg;
        if (tb_json_str(item, &uri) && uri.len <= URI_MAX &&
            listen->interest_count < TB_MCP_INTERESTS && tb_mcp_resource_find(mcp, uri, &arg) &&
            !find(&listen->interests, uri)) {
            add(mcp, &listen->interests, &listen->interest_count, uri);
        }
    }
}

static void put_flag(struct tb_json_writer *json, const char *key, bool value)
{
    if (value) {
        tb_json_member_bool(json, key, true);
    }
}

static void acknowledge(struct listen *listen)
{
    /* As many addresses as are watched. */
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "_meta");
    tb_json_object_open(&json);
    tb_json_member_raw(&json, SUBSCRIPTION_ID, listen->req->id);
    tb_json_object_close(&json);
    tb_json_key(&json, "notifications");
    tb_json_object_open(&json);
    put_flag(&json, "toolsListChanged", listen->tools);
    put_flag(&json, "promptsListChanged", listen->prompts);
    if (listen->interest_count) {
        tb_json_key(&json, "resourceSubscriptions");
        tb_json_array_open(&json);
        LIST_FOREACH(link, &listen->interests) {
            tb_json_put_str(&json, TB_CONTAINER(link, struct interest, link)->uri);
        }
        tb_json_array_close(&json);
    }
    tb_json_object_close(&json);
    tb_json_object_close(&json);
    tb_mcp_req_notify(listen->req, "notifications/subscriptions/acknowledged", tb_buf_str(&params));
}

void tb_mcp_listen(struct tb_mcp_req *req)
{
    const struct cJSON *filter = tb_json_get(tb_mcp_req_params(req), "notifications");
    struct tb_mcp *mcp = req->mcp;
    if (!tb_json_is_object(filter)) {
        tb_mcp_req_fail(req, -32602,
                        "params.notifications must be an object that says what to listen for");
        return;
    }
    if (req->out->answer_only) {
        tb_mcp_req_fail(
            req, -32600,
            "subscriptions/listen answers with an event stream, but the Accept header does not "
            "allow one; send Accept: application/json, text/event-stream");
        return;
    }
    if (mcp->listen_count >= TB_MCP_LISTENS) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_BUSY)->rpc_code,
                        "%d subscriptions are already open; end one of them first", TB_MCP_LISTENS);
        return;
    }
    struct tb_err err;
    if (tb_rates_open_stream(mcp->core, req->peer->who, &err) < 0) {
        tb_mcp_req_fail(req, tb_err_info(err.code)->rpc_code, "%s", err.text);
        return;
    }
    struct listen *listen = TB_NEW(struct listen);
    listen->req = req;
    listen->who = tb_principal_ref(req->peer->who, "listen");
    tb_list_init(&listen->interests);
    take_filter(listen, filter);
    const struct tb_caller reader = tb_mcp_req_caller(listen->req);
    look(mcp, &reader, listen->brings);
    tb_list_append(&mcp->listens, &listen->link);
    mcp->listen_count++;
    tb_mcp_req_wait(req, listen, listen_free);
    acknowledge(listen);
    mind_bus(mcp);
}

void tb_mcp_listens_end(struct tb_mcp *mcp)
{
    while (!tb_list_empty(&mcp->listens)) {
        struct listen *listen = TB_CONTAINER(mcp->listens.next, struct listen, link);
        TB_AUTO(tb_buf_fini) struct tb_buf meta = TB_BUF(NOTE_MAX);
        struct tb_json_writer json;
        struct tb_mcp_result result;
        tb_json_writer_init(&json, &meta);
        tb_json_member_raw(&json, SUBSCRIPTION_ID, listen->req->id);
        tb_mcp_result_open(&result, listen->req);
        result.meta = tb_buf_str(&meta);
        tb_mcp_result_send(&result);
    }
}
