/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_client.h"

#include <errno.h>

#include "io/http_call.h"
#include "io/poll.h"

/* A socket that libcurl wants to hear about. */
struct watch {
    struct tb_list link;
    struct tb_http_client *client;
    struct tb_poll *poll;
    curl_socket_t fd;
};

static void call_free(struct tb_http_call *call)
{
    const struct tb_curl *curl = &call->client->curl;
    tb_list_remove(&call->link);
    tb_deferred_cancel(&call->news);
    tb_timer_fini(&call->deadline);
    curl->easy_cleanup(call->easy);
    curl->slist_free_all(call->headers);
    tb_buf_fini(&call->body);
    tb_http_call_fini_streams(call);
    tb_free(call->peer);
    tb_free(call);
}

void tb_http_call_finish(struct tb_http_call *call)
{
    struct tb_http_client *client = call->client;
    if (!call->finished) {
        call->finished = true;
        client->curl.multi_remove_handle(client->multi, call->easy);
        tb_timer_stop(&call->deadline);
    }
    tb_loop_defer(client->loop, &call->news);
}

static void call_end(struct tb_http_call *call)
{
    const struct tb_curl *curl = &call->client->curl;
    struct tb_http_client_response response = {0};
    long status = 0;
    tb_list_remove(&call->link);
    tb_deferred_cancel(&call->news);
    if (call->code == 0) {
        char *type = NULL;
        curl->easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
        curl->easy_getinfo(call->easy, CURLINFO_CONTENT_TYPE, &type);
        response.status = (int)status;
        response.body = tb_buf_str(&call->body);
        response.content_type = type;
    }
    call->fn(call->code, &response, &call->err, call->user);
    call_free(call);
}

static void on_news(struct tb_deferred *job)
{
    struct tb_http_call *call = TB_CONTAINER(job, struct tb_http_call, news);
    struct tb_http_client *client = call->client;
    client->telling = true;
    if (tb_http_call_tell(call) && call->finished) {
        call_end(call);
    }
    client->telling = false;
    if (client->freed) {
        tb_free(client);
    }
}

static void collect(struct tb_http_client *client)
{
    const struct tb_curl *curl = &client->curl;
    CURLMsg *msg;
    int left;
    while ((msg = curl->multi_info_read(client->multi, &left))) {
        CURLcode result = msg->data.result;
        struct tb_http_call *call = NULL;
        curl->easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &call);
        if (result != CURLE_OK) {
            tb_http_call_explain(call, result);
        }
        tb_http_call_finish(call);
    }
}

static void on_ready(struct tb_poll *poll, int events, void *user)
{
    (void)poll;
    struct watch *watch = user;
    struct tb_http_client *client = watch->client;
    const struct tb_curl *curl = &client->curl;
    int flags = (events & TB_POLL_READ ? CURL_CSELECT_IN : 0) |
                (events & TB_POLL_WRITE ? CURL_CSELECT_OUT : 0) |
                (events & TB_POLL_ERROR ? CURL_CSELECT_ERR : 0);
    int running;
    curl->multi_socket_action(client->multi, watch->fd, flags, &running);
    collect(client);
}

static void watch_free(struct watch *watch)
{
    tb_list_remove(&watch->link);
    tb_poll_free(watch->poll);
    tb_free(watch);
}

/* libcurl says what it wants to know about a socket. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *per_socket)
{
    struct tb_http_client *client = user;
    const struct tb_curl *curl = &client->curl;
    struct watch *watch = per_socket;
    struct tb_http_call *call = NULL;
    curl->easy_getinfo(easy, CURLINFO_PRIVATE, &call);
    if (call && !call->finished) { /* else it is a connection that nobody uses */
        tb_http_call_watched(call, what == CURL_POLL_IN || what == CURL_POLL_INOUT);
    }
    if (what == CURL_POLL_REMOVE) {
        if (watch) {
            watch_free(watch);
        }
        return 0;
    }
    if (!watch) {
        watch = TB_NEW(struct watch);
        watch->client = client;
        watch->fd = fd;
        watch->poll = tb_poll_new(client->loop, fd, on_ready, watch);
        if (!watch->poll) {
            tb_free(watch);
            return -1;
        }
        tb_list_append(&client->watches, &watch->link);
        curl->multi_assign(client->multi, fd, watch);
    }
    tb_poll_watch(watch->poll, (what & CURL_POLL_IN ? TB_POLL_READ : 0) |
                                   (what & CURL_POLL_OUT ? TB_POLL_WRITE : 0));
    return 0;
}

static int on_timer_wanted(CURLM *multi, long timeout_ms, void *user)
{
    (void)multi;
    struct tb_http_client *client = user;
    if (timeout_ms < 0) {
        tb_timer_stop(&client->timer);
    } else {
        tb_timer_start(&client->timer, timeout_ms);
    }
    return 0;
}

static void on_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    struct tb_http_client *client = user;
    const struct tb_curl *curl = &client->curl;
    int running;
    curl->multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect(client);
}

/* The deadline is ours and not libcurl's, so that it runs on the loop's clock. */
static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_http_call *call = user;
    int held = call->streams.held;
    if (held & CURLPAUSE_RECV || (held && !call->streams.out_refused)) {
        tb_timer_start(timer, call->timeout_ms); /* the peer is not to blame */
        return;
    }
    bool streams = call->streams.data || call->streams.read;
    call->code = tb_fail(&call->err, TB_E_TIMEOUT, "%s: no %s within %lld ms", call->peer,
                         streams ? "progress" : "answer", (long long)call->timeout_ms);
    tb_http_call_finish(call);
}

static int multi_open(struct tb_http_client *client, struct tb_err *err)
{
    const struct tb_curl *curl = &client->curl;
    int rc = tb_curl_load(&client->curl, err);
    if (rc < 0) {
        return rc;
    }
    client->multi = curl->multi_init();
    if (!client->multi) {
        return tb_fail(err, TB_E_INTERNAL, "libcurl failed to start");
    }
    curl->multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl->multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    curl->multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
    curl->multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    return 0;
}

struct tb_http_client *tb_http_client_new(struct tb_loop *loop)
{
    struct tb_http_client *client = TB_NEW(struct tb_http_client);
    client->loop = loop;
    tb_list_init(&client->calls);
    tb_list_init(&client->watches);
    tb_timer_init(&client->timer, loop, on_timer, client);
    return client;
}

void tb_http_client_free(struct tb_http_client *client)
{
    if (!client) {
        return;
    }
    const struct tb_curl *curl = &client->curl;
    struct tb_list *link;
    client->freed = true;
    while ((link = tb_list_pop(&client->calls))) {
        struct tb_http_call *call = TB_CONTAINER(link, struct tb_http_call, link);
        curl->multi_remove_handle(client->multi, call->easy);
        call->code = tb_fail(&call->err, -ECANCELED, "%s: the call was cancelled", call->peer);
        call_end(call);
    }
    if (client->multi) {
        curl->multi_cleanup(client->multi);
    }
    LIST_FOREACH_SAFE(item, &client->watches) {
        watch_free(TB_CONTAINER(item, struct watch, link));
    }
    tb_timer_fini(&client->timer);
    if (!client->telling) {
        tb_free(client);
    }
}

struct tb_http_call *tb_http_client_send(struct tb_http_client *client,
                                         const struct tb_http_client_request *request,
                                         tb_http_client_fn *fn, void *user, struct tb_err *err)
{
    const struct tb_curl *curl = &client->curl;
    if (client->freed) {
        tb_fail(err, TB_E_CLOSED, "the client is being freed");
        return NULL;
    }
    if (!client->multi && multi_open(client, err) < 0) {
        return NULL;
    }
    struct tb_http_call *call = TB_NEW(struct tb_http_call);
    call->client = client;
    call->fn = fn;
    call->user = user;
    call->timeout_ms = request->timeout_ms;
    call->news.run = on_news;
    tb_list_init(&call->link);
    tb_buf_init(&call->body, request->response_max);
    tb_timer_init(&call->deadline, client->loop, on_deadline, call);
    call->easy = curl->easy_init();
    if (!call->easy) {
        tb_fail(err, TB_E_INTERNAL, "libcurl failed to start");
        goto fail;
    }
    if (tb_http_call_set_up(call, request, err) < 0) {
        goto fail;
    }
    if (curl->multi_add_handle(client->multi, call->easy) != CURLM_OK) {
        tb_fail(err, TB_E_INTERNAL, "%s: libcurl rejected the request", call->peer);
        goto fail;
    }
    tb_list_append(&client->calls, &call->link);
    tb_timer_start(&call->deadline, call->timeout_ms);
    return call;
fail:
    call_free(call);
    return NULL;
}

void tb_http_call_cancel(struct tb_http_call *call)
{
    call->code = tb_fail(&call->err, -ECANCELED, "%s: the call was cancelled", call->peer);
    tb_http_call_finish(call);
}

void tb_http_call_resume(struct tb_http_call *call)
{
    if (call->streams.held && !call->finished) {
        tb_timer_start(&call->deadline, call->timeout_ms); /* the peer's time, not ours */
    }
    call->streams.held = 0;
    tb_loop_defer(call->client->loop, &call->news);
}
