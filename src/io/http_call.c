/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_call.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "proto/host.h"

enum {
    STREAM_BYTES = 64 * 1024, /* of a stream between libcurl and the owner, each way */
    HEAD_BYTES = 256 * 1024,  /* of the headers of an answer, for who wants to see them */
};

void tb_http_call_explain(struct tb_http_call *call, CURLcode result)
{
    const struct tb_curl *curl = &call->client->curl;
    bool in_head = call->streams.head && !call->streams.head_in;
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
    case CURLE_WRITE_ERROR: /* only our own receivers stop a transfer so */
        call->code = tb_fail(&call->err, TB_E_TOO_LARGE, "%s: the answer is larger than %zu bytes",
                             call->peer, in_head ? call->streams.lines.max : call->body.max);
        break;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND: /* what was read for a connection that broke cannot be read again
                                  */
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

static bool is_token(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!text[i] || !strchr("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                                text[i])) {
            return false;
        }
    }
    return len > 0;
}

/* Streams: first what libcurl calls. It only takes note. */

static void note_progress(struct tb_http_call *call)
{
    if (call->streams.read || call->streams.data) {
        tb_timer_start(&call->deadline, call->timeout_ms);
    }
    tb_loop_defer(call->client->loop, &call->news);
}

static size_t on_line(char *data, size_t size, size_t count, void *user)
{
    struct tb_http_call *call = user;
    struct tb_http_streams *streams = &call->streams;
    struct tb_str line = {data, size * count};
    while (line.len && strchr("\r\n", line.ptr[line.len - 1])) {
        line.len--;
    }
    if (tb_str_starts(line, TB_STR("HTTP/"))) {
        tb_buf_clear(&streams->lines); /* those before were of an interim answer */
    } else if (line.len && streams->head && !streams->head_in) { /* else it is a trailer */
        int rc = tb_buf_append_str(&streams->lines, line);
        rc = rc < 0 ? rc : tb_buf_append_char(&streams->lines, '\n');
        return rc < 0 ? 0 : size * count;
    } else if (!line.len) {
        long status = 0;
        call->client->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
        streams->head_in = status >= 200;
        if (status >= 300) {
            streams->out_refused = streams->look = true;
        }
        note_progress(call);
    }
    return size * count;
}

static size_t on_body(char *data, size_t size, size_t count, void *user)
{
    struct tb_http_call *call = user;
    size_t len = size * count;
    note_progress(call);
    if (!call->streams.data) {
        return tb_buf_append(&call->body, data, len) < 0 ? 0 : len;
    }
    if (call->body.len && call->body.len + len > STREAM_BYTES) {
        call->streams.stopped |= CURLPAUSE_RECV;
        return CURL_WRITEFUNC_PAUSE;
    }
    tb_buf_append(&call->body, data, len);
    return len;
}

static size_t on_wanted(char *buf, size_t size, size_t count, void *user)
{
    struct tb_http_call *call = user;
    struct tb_http_streams *streams = &call->streams;
    size_t left = streams->out_len - streams->out_used;
    size_t len = left < size * count ? left : size * count;
    if (!left && !streams->out_over) {
        streams->stopped |= CURLPAUSE_SEND;
        tb_loop_defer(call->client->loop, &call->news);
        return CURL_READFUNC_PAUSE;
    }
    memcpy(buf, streams->out + streams->out_used, len);
    streams->out_used += len;
    note_progress(call);
    return len;
}

/* Then what the job of a call does. Each of these may find the call cancelled or the client freed
 * by the owner's callback, and looks before it touches the call again. */

static bool is_over(const struct tb_http_client *client, const struct tb_http_call *call)
{
    return client->freed || call->code < 0;
}

/* libcurl goes on, and may call on_body at once with what it held back. */
static void go_on(struct tb_http_call *call, int direction)
{
    if (call->streams.stopped & direction && !call->finished) {
        call->streams.stopped &= ~direction;
        call->client->curl.easy_pause(call->easy, call->streams.stopped);
    }
}

static size_t split_lines(struct tb_str lines, struct tb_http1_header *headers)
{
    size_t count = 0;
    while (lines.len) {
        struct tb_str value = tb_str_cut(&lines, '\n');
        struct tb_str name = tb_str_cut(&value, ':');
        if (value.ptr && is_token(name.ptr, name.len)) {
            headers[count++] = (struct tb_http1_header){name, tb_str_trim(value)};
        }
    }
    return count;
}

static void tell_head(struct tb_http_call *call)
{
    struct tb_http_streams *streams = &call->streams;
    long status = 0;
    size_t most = 0;
    struct tb_str lines = tb_buf_str(&streams->lines);
    for (size_t i = 0; i < lines.len; i++) {
        most += lines.ptr[i] == '\n';
    }
    TB_AUTO(tb_free) struct tb_http1_header *headers = tb_zalloc((most + 1) * sizeof(*headers));
    call->client->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    struct tb_http1_head head = {
        .status = (int)status,
        .headers = headers,
        .header_count = split_lines(lines, headers),
    };
    streams->head_told = true;
    streams->head(&head, call->user);
}

static void tell_data(struct tb_http_call *call)
{
    struct tb_http_client *client = call->client;
    struct tb_http_streams *streams = &call->streams;
    streams->held |= CURLPAUSE_RECV;
    bool taken = streams->data(tb_buf_str(&call->body), call->user);
    if (!is_over(client, call) && taken) {
        streams->held &= ~CURLPAUSE_RECV;
        tb_buf_clear(&call->body);
        go_on(call, CURLPAUSE_RECV);
    }
}

static void ask_for_more(struct tb_http_call *call)
{
    struct tb_http_client *client = call->client;
    struct tb_http_streams *streams = &call->streams;
    streams->held |= CURLPAUSE_SEND;
    ssize_t len = streams->read(streams->out, STREAM_BYTES, call->user);
    if (is_over(client, call) || len == -EAGAIN) {
        return;
    }
    streams->held &= ~CURLPAUSE_SEND;
    if (len < 0) {
        call->code = tb_fail(&call->err, (int)len, "%s: the request body could not be read: %s",
                             call->peer, tb_err_name((int)len));
        tb_http_call_finish(call);
        return;
    }
    streams->out_len = (size_t)len;
    streams->out_used = 0;
    streams->out_over = len == 0;
    go_on(call, CURLPAUSE_SEND);
}

void tb_http_call_watched(struct tb_http_call *call, bool reads)
{
    struct tb_http_streams *streams = &call->streams;
    if (streams->reads && !reads) {
        streams->look = true;
        tb_loop_defer(call->client->loop, &call->news);
    }
    streams->reads = reads;
}

/* libcurl 7.88 does not see that a transfer is over while its body is paused: not when the server
 * refuses the rest, nor when the answer is all in and the connection is to be closed. Without the
 * pause it looks; a body that it still wants to send is paused again at once. */
static void look(struct tb_http_call *call)
{
    call->streams.look = false;
    go_on(call, CURLPAUSE_SEND);
}

bool tb_http_call_tell(struct tb_http_call *call)
{
    struct tb_http_client *client = call->client;
    struct tb_http_streams *streams = &call->streams;
    if (call->code < 0) {
        return true; /* whatever else there is, the owner only hears that it failed */
    }
    if (streams->head && streams->head_in && !streams->head_told) {
        tell_head(call);
    }
    if (!is_over(client, call) && streams->data && call->body.len &&
        !(streams->held & CURLPAUSE_RECV)) {
        tell_data(call);
    }
    if (!is_over(client, call) && streams->look && streams->stopped == CURLPAUSE_SEND) {
        look(call);
    } else if (!is_over(client, call) && streams->stopped & CURLPAUSE_SEND &&
               !(streams->held & CURLPAUSE_SEND) && !streams->out_refused && !call->finished) {
        ask_for_more(call);
    }
    return !is_over(client, call) && !(streams->data && call->body.len);
}

void tb_http_call_fini_streams(struct tb_http_call *call)
{
    tb_buf_fini(&call->streams.lines);
    tb_free(call->streams.out);
}

static void set_streams(struct tb_http_call *call, const struct tb_http_client_request *request)
{
    const struct tb_curl *curl = &call->client->curl;
    struct tb_http_streams *streams = &call->streams;
    streams->head = request->head;
    streams->data = request->data;
    streams->read = request->read;
    tb_buf_init(&streams->lines, HEAD_BYTES);
    if (streams->head || streams->data || streams->read) {
        curl->easy_setopt(call->easy, CURLOPT_HEADERFUNCTION, on_line);
        curl->easy_setopt(call->easy, CURLOPT_HEADERDATA, call);
        curl->easy_setopt(call->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    }
    if (streams->data) {
        call->body.max = SIZE_MAX; /* on_body holds the ceiling */
    }
    if (streams->read) {
        streams->out = tb_zalloc(STREAM_BYTES);
        curl->easy_setopt(call->easy, CURLOPT_UPLOAD, 1L);
        curl->easy_setopt(call->easy, CURLOPT_READFUNCTION, on_wanted);
        curl->easy_setopt(call->easy, CURLOPT_READDATA, call);
    }
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
    if (!request->read &&
        (request->body.len || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0)) {
        curl->easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl->easy_setopt(call->easy, CURLOPT_COPYPOSTFIELDS,
                          request->body.len ? request->body.ptr : "");
    }
    curl->easy_setopt(call->easy, CURLOPT_CUSTOMREQUEST, method);
    return 0;
}

static bool is_loopback(const char *host)
{
    struct tb_host canonical;
    return tb_host_read(tb_str_of(host), &canonical, NULL) == 0 &&
           (tb_host_is_local_name(&canonical) ||
            (canonical.is_ip && tb_ip_is_loopback(&canonical.ip)));
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
    set_streams(call, request);
    int rc = set_url(call, request, err);
    rc = rc < 0 ? rc : set_method(call, request, err);
    return rc < 0 ? rc : set_headers(call, request->headers, err);
}
