/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/net_log.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum {
    URL_MAX = 2048,
    HEADERS_MAX = 4096,
    BODY_MAX = 16 * 1024,
    EVENT_MAX = 1024 * 1024,
    ID_SIZE = 24,
};

struct request {
    struct tb_list link;
    uint64_t number;
    char *request_id;
    char *session_id;
    char *method;
    char *url;
    char *type;
    char *error;                   /* NULL: none */
    char *body;                    /* of the request; NULL: none */
    struct cJSON *request_headers; /* NULL: none or too many */
    struct cJSON *response_headers;
    double began; /* seconds on the browser's clock */
    double ended; /* 0: under way */
    int64_t status;
    int64_t bytes;
};

static struct request *request_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct request, link);
}

static void drop(struct tb_cdp_net_log *log, struct request *request)
{
    log->count--;
    tb_list_remove(&request->link);
    tb_free(request->request_id);
    tb_free(request->session_id);
    tb_free(request->method);
    tb_free(request->url);
    tb_free(request->type);
    tb_free(request->error);
    tb_free(request->body);
    tb_json_free(request->request_headers);
    tb_json_free(request->response_headers);
    tb_free(request);
}

void tb_cdp_net_log_init(struct tb_cdp_net_log *log)
{
    *log = (struct tb_cdp_net_log){.count = 0};
    tb_list_init(&log->requests);
}

void tb_cdp_net_log_clear(struct tb_cdp_net_log *log)
{
    while (!tb_list_empty(&log->requests)) {
        drop(log, request_of(log->requests.next));
    }
}

void tb_cdp_net_log_fini(struct tb_cdp_net_log *log)
{
    if (log->requests.next) {
        tb_cdp_net_log_clear(log);
    }
}

static double number_at(const struct cJSON *json, const char *key)
{
    double number = 0;
    tb_json_num(tb_json_get(json, key), &number);
    return number;
}

/* The newest request of that id: a redirect has the id of what it came from. */
static struct request *find(struct tb_cdp_net_log *log, struct tb_str id)
{
    for (struct tb_list *link = log->requests.prev; link != &log->requests; link = link->prev) {
        if (tb_str_eq_cstr(id, request_of(link)->request_id)) {
            return request_of(link);
        }
    }
    return NULL;
}

static char *lower(struct tb_str text)
{
    char *copy = tb_str_dup(text);
    for (char *c = copy; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return copy;
}

static struct cJSON *headers_of(const struct cJSON *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(HEADERS_MAX);
    const struct cJSON *headers = tb_json_get(json, "headers");
    return headers && tb_json_print(headers, &text) == 0 ? tb_json_dup(headers) : NULL;
}

static void take_response(struct request *request, const struct cJSON *response)
{
    request->status = (int64_t)number_at(response, "status");
    request->bytes = (int64_t)number_at(response, "encodedDataLength");
    tb_json_free(request->response_headers);
    request->response_headers = headers_of(response);
}

static void on_sent(struct tb_cdp_net_log *log, const char *session_id, const struct cJSON *params)
{
    const struct cJSON *sent = tb_json_get(params, "request");
    struct tb_str id = tb_json_text(params, "requestId");
    const struct cJSON *redirected = tb_json_get(params, "redirectResponse");
    struct request *before = redirected ? find(log, id) : NULL;
    if (before) {
        take_response(before, redirected);
        before->ended = number_at(params, "timestamp");
    }
    struct request *request = TB_NEW(struct request);
    request->number = ++log->last;
    request->request_id = tb_str_dup(id);
    request->session_id = tb_strdup(session_id);
    request->method = tb_str_dup(tb_str_sub(tb_json_text(sent, "method"), 0, 32));
    request->url = tb_str_dup(tb_str_sub(tb_json_text(sent, "url"), 0, URL_MAX));
    request->type = lower(tb_str_sub(tb_json_text(params, "type"), 0, 32));
    struct tb_str body = tb_json_text(sent, "postData");
    request->body = body.len ? tb_str_dup(tb_str_sub(body, 0, BODY_MAX)) : NULL;
    request->request_headers = headers_of(sent);
    request->began = number_at(params, "timestamp");
    tb_list_append(&log->requests, &request->link);
    if (++log->count > TB_NET_REQUESTS) {
        drop(log, request_of(log->requests.next));
    }
}

static void on_response(struct tb_cdp_net_log *log, const char *session_id,
                        const struct cJSON *params)
{
    struct request *request = find(log, tb_json_text(params, "requestId"));
    (void)session_id;
    if (request) {
        take_response(request, tb_json_get(params, "response"));
    }
}

static void on_finished(struct tb_cdp_net_log *log, const char *session_id,
                        const struct cJSON *params)
{
    struct request *request = find(log, tb_json_text(params, "requestId"));
    (void)session_id;
    if (request) {
        request->ended = number_at(params, "timestamp");
        request->bytes = (int64_t)number_at(params, "encodedDataLength");
    }
}

static void on_failed(struct tb_cdp_net_log *log, const char *session_id,
                      const struct cJSON *params)
{
    struct request *request = find(log, tb_json_text(params, "requestId"));
    (void)session_id;
    if (request) {
        struct tb_str blocked = tb_json_text(params, "blockedReason");
        request->ended = number_at(params, "timestamp");
        tb_free(request->error);
        request->error = tb_str_dup(
            tb_str_sub(blocked.len ? blocked : tb_json_text(params, "errorText"), 0, 200));
    }
}

void tb_cdp_net_log_on_event(struct tb_cdp_net_log *log, const char *session_id,
                             struct tb_str method, struct tb_str params)
{
    static const struct {
        const char *method;
        void (*fn)(struct tb_cdp_net_log *log, const char *session_id, const struct cJSON *params);
    } handlers[] = {
        {"Network.requestWillBeSent", on_sent},
        {"Network.responseReceived", on_response},
        {"Network.loadingFinished", on_finished},
        {"Network.loadingFailed", on_failed},
    };
    for (size_t i = 0; i < TB_COUNT(handlers) && params.len <= EVENT_MAX; i++) {
        if (tb_str_eq_cstr(method, handlers[i].method)) {
            TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
            handlers[i].fn(log, session_id, json);
            return;
        }
    }
}

static bool is_failed(const struct request *request)
{
    return request->error || request->status >= 400;
}

static bool fits(const struct request *request, const struct tb_cdp_net_filter *filter)
{
    if (filter->failed && !is_failed(request)) {
        return false;
    }
    if (filter->type.len && !tb_str_eq_nocase(filter->type, tb_str_of(request->type))) {
        return false;
    }
    return !filter->find.len ||
           memmem(request->url, strlen(request->url), filter->find.ptr, filter->find.len);
}

static struct cJSON *as_json(const struct request *request)
{
    struct cJSON *json = tb_json_new_object();
    char id[ID_SIZE];
    snprintf(id, sizeof(id), "r%llu", (unsigned long long)request->number);
    tb_json_set_cstr(json, "id", id);
    tb_json_set_cstr(json, "method", request->method);
    tb_json_set_cstr(json, "url", request->url);
    tb_json_set_int(json, "status", request->status);
    tb_json_set_cstr(json, "type", request->type);
    if (request->ended > 0) {
        tb_json_set_int(json, "ms", (int64_t)((request->ended - request->began) * 1000));
    }
    tb_json_set_int(json, "bytes", request->bytes);
    if (request->error) {
        tb_json_set_cstr(json, "error", request->error);
    }
    return json;
}

size_t tb_cdp_net_log_list(const struct tb_cdp_net_log *log, const struct tb_cdp_net_filter *filter,
                           struct cJSON *ret_array)
{
    size_t total = 0;
    LIST_FOREACH(link, &log->requests) {
        total += fits(request_of(link), filter);
    }
    size_t skip = total > filter->limit ? total - filter->limit : 0;
    LIST_FOREACH(link, &log->requests) {
        if (!fits(request_of(link), filter)) {
            continue;
        }
        if (skip) {
            skip--;
        } else {
            tb_json_append_take(ret_array, as_json(request_of(link)));
        }
    }
    return total;
}

struct cJSON *tb_cdp_net_log_get(const struct tb_cdp_net_log *log, struct tb_str id,
                                 const char **ret_request_id, const char **ret_session_id)
{
    uint64_t number;
    if (!id.len || id.ptr[0] != 'r' || !tb_str_to_u64(tb_str_sub(id, 1, id.len), &number)) {
        return NULL;
    }
    LIST_FOREACH(link, &log->requests) {
        const struct request *request = request_of(link);
        if (request->number != number) {
            continue;
        }
        struct cJSON *json = as_json(request);
        if (request->request_headers) {
            tb_json_set_take(json, "request_headers", tb_json_dup(request->request_headers));
        }
        if (request->response_headers) {
            tb_json_set_take(json, "response_headers", tb_json_dup(request->response_headers));
        }
        if (request->body) {
            tb_json_set_cstr(json, "request_body", request->body);
        }
        *ret_request_id = request->request_id;
        *ret_session_id = request->session_id;
        return json;
    }
    return NULL;
}
