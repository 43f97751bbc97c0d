/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/daemon_call.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/options.h"
#include "core/limits.h"
#include "daemon/dirs.h"
#include "io/http_client.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

enum {
    ANSWER_MS = 60 * 1000, /* a change waits for the disk, and the daemon gives up before that */
    ANSWER_MAX = 64 * TB_MIB,
    WORDS_MAX = 400, /* of a message or a hint; both fit a struct tb_err */
    WIRE_MAX = 64,
    DEPTH_MAX = 64, /* what a tool gave may stand beside the words */
    HEADERS = 4,
};

/* What came of it, while the loop runs. */
struct waiting {
    struct tb_loop *loop;
    struct tb_buf *body;
    bool keeps_refusal;
    int rc;
    struct tb_err *err;
    /* Of a stream. */
    bool (*data)(struct tb_str piece, void *user);
    void *user;
    int status; /* 0: no head yet */
};

int tb_daemon_call_escape(const char *text, struct tb_buf *out)
{
    int rc = 0;
    for (; rc == 0 && *text; text++) {
        unsigned char c = (unsigned char)*text;
        rc = isalnum(c) || strchr("-._~", c) ? tb_buf_append_char(out, *text)
                                             : tb_buf_printf(out, "%%%02X", c);
    }
    return rc;
}

bool tb_daemon_way_option(struct tb_daemon_way *way, int argc, char **argv, int *at)
{
    const char *url = tb_options_own(argc, argv, at, "--url");
    const char *token = url ? NULL : tb_options_own(argc, argv, at, "--token");
    if (url) {
        way->url = url;
    } else if (token) {
        way->token = token;
    }
    return url || token;
}

void tb_daemon_way_help(void)
{
    puts("  --url URL       A daemon elsewhere, such as https://host:8765; without it, the one\n"
         "                  that runs here, by its Unix socket.\n"
         "  --token TOKEN   A key for --url; better in the variable TABARD_TOKEN, which other\n"
         "                  users of this machine cannot see.");
}

static void read_words(const struct tb_json_want *want, struct tb_buf *out)
{
    if (want->value.type == TB_JSON_STRING) {
        tb_json_string_decode(want->value.text, out);
    }
}

int tb_daemon_call_refused(int status, struct tb_str body, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = DEPTH_MAX, .any_escape = true};
    struct tb_json_want wants[] = {{.parent = "error", .key = "message"},
                                   {.parent = "error", .key = "hint"},
                                   {.parent = "error", .key = "code"}};
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(WORDS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf hint = TB_BUF(WORDS_MAX);
    char wire[WIRE_MAX] = "";
    if (tb_json_scan(body, &limits, wants, TB_COUNT(wants), NULL) == TB_JSON_OBJECT) {
        read_words(&wants[0], &message);
        read_words(&wants[1], &hint);
        tb_json_value_cstr(&wants[2].value, wire, sizeof(wire));
    }
    if (!message.len) {
        return tb_fail(err, TB_E_PROTOCOL,
                       "the answer (status %d) does not come from a tabard daemon", status);
    }
    int code = tb_err_by_wire(wire);
    return tb_fail(err, code ? code : TB_E_INTERNAL, "%.*s%s%.*s", TB_STR_ARG(tb_buf_str(&message)),
                   hint.len ? ". " : "", TB_STR_ARG(tb_buf_str(&hint)));
}

static void on_answer(int code, const struct tb_http_client_response *response,
                      const struct tb_err *err, void *user)
{
    struct waiting *waiting = user;
    if (code < 0) {
        waiting->rc = code;
        *waiting->err = *err;
    } else if (response->status < 200 || response->status > 299) {
        waiting->rc = tb_daemon_call_refused(response->status, response->body, waiting->err);
        if (waiting->keeps_refusal) {
            tb_buf_append_str(waiting->body, response->body);
        }
    } else if (tb_buf_append_str(waiting->body, response->body) < 0) {
        waiting->rc = tb_fail(waiting->err, TB_E_TOO_LARGE, "the answer is too large");
    } else {
        waiting->rc = response->status;
    }
    tb_loop_stop(waiting->loop);
}

static int exchange(struct tb_http_client_request *request, struct waiting *waiting)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_http_client_free) struct tb_http_client *client = tb_http_client_new(loop);
    waiting->loop = loop;
    if (!tb_http_client_send(client, request, on_answer, waiting, waiting->err)) {
        return waiting->err->code;
    }
    tb_loop_run(loop);
    return waiting->rc;
}

/* A socket that is not there is the usual case, and its words are for whoever forgot to start. */
static int explain(const char *socket, int rc, struct tb_err *err)
{
    if (socket && (rc == -ENOENT || rc == -ECONNREFUSED || rc == TB_E_CLOSED)) {
        return tb_fail(err, TB_E_CLOSED,
                       "no daemon is running at %s; start one with 'tabard serve'", socket);
    }
    return rc;
}

static void cut_slashes(char *url)
{
    for (size_t len = strlen(url); len && url[len - 1] == '/'; len--) {
        url[len - 1] = '\0';
    }
}

/* The parts of a request that have to live as long as it does. */
struct parts {
    char *socket;
    char *url;
    char *bearer;
    char *tenant;
    char *conversation;
    const char *headers[HEADERS + 1];
};

static void parts_fini_auto(struct parts *parts)
{
    tb_free(parts->socket);
    tb_free(parts->url);
    tb_free(parts->bearer);
    tb_free(parts->tenant);
    tb_free(parts->conversation);
}

static char *header(const char *name, const char *value)
{
    return value ? tb_strdupf("%s: %s", name, value) : NULL;
}

static void parts_init(struct parts *parts, const struct tb_config *config,
                       const struct tb_daemon_way *way, const struct tb_daemon_call *call)
{
    const char *token = way->url && !way->token ? getenv("TABARD_TOKEN") : way->token;
    TB_AUTO(tb_free) char *base = tb_strdup(way->url ? way->url : "http://localhost");
    size_t count = 0;
    cut_slashes(base);
    parts->socket = way->url ? NULL : tb_dirs_socket(config);
    parts->url = tb_strdupf("%s%s", base, call->path);
    parts->bearer = token ? tb_strdupf("Authorization: Bearer %s", token) : NULL;
    parts->tenant = header("X-Tabard-Tenant", call->tenant);
    parts->conversation = header("X-Conversation-Id", call->conversation);
    const char *const all[] = {"Content-Type: application/json", parts->bearer, parts->tenant,
                               parts->conversation};
    for (size_t i = 0; i < TB_COUNT(all); i++) {
        if (all[i]) {
            parts->headers[count++] = all[i];
        }
    }
}

static struct tb_http_client_request request_of(const struct parts *parts,
                                                const struct tb_daemon_call *call)
{
    return (struct tb_http_client_request){
        .method = call->method,
        .url = parts->url,
        .unix_socket = parts->socket,
        .headers = parts->headers,
        .body = call->body,
        .timeout_ms = call->timeout_ms ? call->timeout_ms : ANSWER_MS,
        .response_max = ANSWER_MAX,
    };
}

int tb_daemon_call(const struct tb_config *config, const struct tb_daemon_way *way,
                   const struct tb_daemon_call *call, struct tb_buf *body, struct tb_err *err)
{
    TB_AUTO(parts_fini) struct parts parts = {0};
    struct waiting waiting = {.body = body, .err = err, .keeps_refusal = call->keeps_refusal};
    parts_init(&parts, config, way, call);
    struct tb_http_client_request request = request_of(&parts, call);
    return explain(parts.socket, exchange(&request, &waiting), err);
}

/* Streams. */

static void on_head(const struct tb_http1_head *head, void *user)
{
    struct waiting *waiting = user;
    waiting->status = head->status;
}

static bool on_data(struct tb_str piece, void *user)
{
    struct waiting *waiting = user;
    if (waiting->status != 200) {
        tb_buf_append_str(waiting->body, piece);
    } else if (waiting->rc <= 0 && !waiting->data(piece, waiting->user)) {
        waiting->rc = 1; /* no more is wanted */
        tb_loop_stop(waiting->loop);
    }
    return true;
}

static void on_stream_end(int code, const struct tb_http_client_response *response,
                          const struct tb_err *err, void *user)
{
    struct waiting *waiting = user;
    (void)response;
    if (waiting->rc > 0) {
        return; /* it was we who left */
    }
    if (waiting->status && waiting->status != 200) {
        waiting->rc =
            tb_daemon_call_refused(waiting->status, tb_buf_str(waiting->body), waiting->err);
    } else if (code < 0 && !waiting->status) {
        waiting->rc = code;
        *waiting->err = *err;
    } else {
        waiting->rc = tb_fail(waiting->err, TB_E_CLOSED, "the daemon has ended the stream");
    }
    tb_loop_stop(waiting->loop);
}

int tb_daemon_stream(const struct tb_config *config, const struct tb_daemon_way *way,
                     const struct tb_daemon_call *call,
                     bool (*data)(struct tb_str piece, void *user), void *user, struct tb_err *err)
{
    TB_AUTO(parts_fini) struct parts parts = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(ANSWER_MAX);
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_http_client_free) struct tb_http_client *client = tb_http_client_new(loop);
    struct waiting waiting = {.loop = loop, .body = &body, .err = err, .data = data, .user = user};
    parts_init(&parts, config, way, call);
    struct tb_http_client_request request = request_of(&parts, call);
    request.head = on_head;
    request.data = on_data;
    if (!tb_http_client_send(client, &request, on_stream_end, &waiting, err)) {
        return err->code;
    }
    tb_loop_run(loop);
    int rc = waiting.rc > 0 ? 0 : waiting.rc;
    bool reached = waiting.status != 0;
    return reached ? rc : explain(parts.socket, rc, err);
}
