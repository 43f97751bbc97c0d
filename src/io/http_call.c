/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_call.h"

#include <string.h>
#include <strings.h>

void tb_http_call_explain(struct tb_http_call *call, CURLcode result)
{
    const struct tb_curl *curl = &call->client->curl;
    long os_errno = 0;
    curl->easy_getinfo(call->easy, CURLINFO_OS_ERRNO, &os_errno);
    const char *text = call->curl_text[0] ? call->curl_text : curl->easy_strerror(result);
    switch (result) {
    case CURLE_COULDNT_CONNECT:
        call->code = os_errno > 0 ? -(int)os_errno : TB_E_CLOSED;
        tb_fail(&call->err, call->code, "%s: cannot connect: %s; is the server running there?",
                call->peer, os_errno > 0 ? tb_err_name(call->code) : text);
        break;
    case CURLE_OPERATION_TIMEDOUT:
        call->code = tb_fail(&call->err, TB_E_TIMEOUT, "%s: %s", call->peer, text);
        break;
    case CURLE_WRITE_ERROR: /* only our own receiver stops a transfer so */
        call->code = tb_fail(&call->err, TB_E_TOO_LARGE, "%s: the answer is larger than %zu bytes",
                             call->peer, call->body.max);
        break;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        call->code =
            tb_fail(&call->err, TB_E_CLOSED, "%s: the connection broke: %s", call->peer, text);
        break;
    default:
        call->code = tb_fail(&call->err, TB_E_PROTOCOL, "%s: %s", call->peer, text);
        break;
    }
}

static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    struct tb_http_call *call = user;
    return tb_buf_append(&call->body, data, size * count) < 0 ? 0 : size * count;
}

static bool is_token(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!strchr("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                    text[i])) {
            return false;
        }
    }
    return len > 0;
}

/* Adds the caller's headers, and takes away those that libcurl would add by itself. */
static int set_headers(struct tb_http_call *call, const char *const *headers, struct tb_err *err)
{
    const struct tb_curl *curl = &call->client->curl;
    bool typed = false;
    for (; headers && *headers; headers++) {
        const char *colon = strchr(*headers, ':');
        if (!colon || !is_token(*headers, (size_t)(colon - *headers)) ||
            strpbrk(*headers, "\r\n")) {
            return tb_fail(err, TB_E_INVALID, "a request header is not of the form 'Name: value'");
        }
        typed = typed || strncasecmp(*headers, "content-type:", 13) == 0;
        call->headers = curl->slist_append(call->headers, *headers);
    }
    call->headers = curl->slist_append(call->headers, "Expect:");
    if (!typed) {
        call->headers = curl->slist_append(call->headers, "Content-Type:");
    }
    curl->easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers);
    return 0;
}

static int set_method(struct tb_http_call *call, const struct tb_http_client_request *request,
                      struct tb_err *err)
{
    const struct tb_curl *curl = &call->client->curl;
    const char *method = request->method;
    if (!is_token(method, strlen(method))) {
        return tb_fail(err, TB_E_INVALID, "the request method is not a valid token");
    }
    if (strcmp(method, "HEAD") == 0) {
        curl->easy_setopt(call->easy, CURLOPT_NOBODY, 1L);
        return 0;
    }
    if (request->body.len || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
        curl->easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl->easy_setopt(call->easy, CURLOPT_COPYPOSTFIELDS,
                          request->body.len ? request->body.ptr : "");
    }
    curl->easy_setopt(call->easy, CURLOPT_CUSTOMREQUEST, method);
    return 0;
}

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "[::1]") == 0;
}

/* Checks the URL and keeps who is meant. */
static int set_url(struct tb_http_call *call, const struct tb_http_client_request *request,
                   struct tb_err *err)
{
    const struct tb_curl *curl = &call->client->curl;
    CURLU *url = curl->url();
    char *scheme = NULL;
    char *host = NULL;
    char *port = NULL;
    int rc = 0;
    if (curl->url_set(url, CURLUPART_URL, request->url, 0) != CURLUE_OK ||
        curl->url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) ||
        curl->url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl->url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK) {
        rc = tb_fail(err, TB_E_INVALID, "the address is not an http or https URL");
    } else {
        call->peer = request->unix_socket ? tb_strdupf("unix:%s", request->unix_socket)
                                          : tb_strdupf("%s:%s", host, port);
        curl->easy_setopt(call->easy, CURLOPT_URL, request->url);
        /* The proxy of the environment is for the world outside, never for this machine. */
        if (request->unix_socket || is_loopback(host)) {
            curl->easy_setopt(call->easy, CURLOPT_NOPROXY, "*");
        }
    }
    curl->free(scheme);
    curl->free(host);
    curl->free(port);
    curl->url_cleanup(url);
    return rc;
}

int tb_http_call_set_up(struct tb_http_call *call, const struct tb_http_client_request *request,
                        struct tb_err *err)
{
    const struct tb_curl *curl = &call->client->curl;
    CURL *easy = call->easy;
    curl->easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, call->curl_text);
    curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl->easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    /* Without this, dropping a call waits for its name look-up, and the loop with it. */
    curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    if (request->unix_socket) {
        curl->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
    }
    if (request->insecure_tls) {
        curl->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    int rc = set_url(call, request, err);
    rc = rc < 0 ? rc : set_method(call, request, err);
    return rc < 0 ? rc : set_headers(call, request->headers, err);
}
