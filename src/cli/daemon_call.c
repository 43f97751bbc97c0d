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
    HEADERS = 3,
};

/* What came of it, while the loop runs. */
struct waiting {
    struct tb_loop *loop;
    struct tb_buf *body;
    int rc;
    struct tb_err *err;
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
    static const struct tb_json_limits limits = {.depth_max = 8};
    struct tb_json_want wants[] = {{.parent = "error", .key = "message"},
                                   {.parent = "error", .key = "hint"}};
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(WORDS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf hint = TB_BUF(WORDS_MAX);
    if (tb_json_scan(body, &limits, wants, TB_COUNT(wants), NULL) == TB_JSON_OBJECT) {
        read_words(&wants[0], &message);
        read_words(&wants[1], &hint);
    }
    if (!message.len) {
        return tb_fail(err, TB_E_PROTOCOL,
                       "the answer (status %d) does not come from a tabard daemon", status);
    }
    return tb_fail(err, TB_E_FORBIDDEN, "%.*s%s%.*s", TB_STR_ARG(tb_buf_str(&message)),
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
    } else if (tb_buf_append_str(waiting->body, response->body) < 0) {
        waiting->rc = tb_fail(waiting->err, TB_E_TOO_LARGE, "the answer is too large");
    } else {
        waiting->rc = response->status;
    }
    tb_loop_stop(waiting->loop);
}

static int exchange(const struct tb_http_client_request *request, struct tb_buf *body,
                    struct tb_err *err)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_http_client_free) struct tb_http_client *client = tb_http_client_new(loop);
    struct waiting waiting = {.loop = loop, .body = body, .err = err};
    if (!tb_http_client_send(client, request, on_answer, &waiting, err)) {
        return err->code;
    }
    tb_loop_run(loop);
    return waiting.rc;
}

/* A socket that is not there is the usual case, and its words are for whoever forgot to start. */
static int explain(const char *socket, int rc, struct tb_err *err)
{
    if (socket && (rc == -ENOENT || rc == -ECONNREFUSED || rc == TB_E_CLOSED)) {
        return tb_fail(err, rc, "no daemon is running at %s; start one with 'tabard serve'",
                       socket);
    }
    return rc;
}

static void cut_slashes(char *url)
{
    for (size_t len = strlen(url); len && url[len - 1] == '/'; len--) {
        url[len - 1] = '\0';
    }
}

int tb_daemon_call(const struct tb_config *config, const struct tb_daemon_way *way,
                   const struct tb_daemon_call *call, struct tb_buf *body, struct tb_err *err)
{
    const char *token = way->url && !way->token ? getenv("TABARD_TOKEN") : way->token;
    TB_AUTO(tb_free) char *socket = way->url ? NULL : tb_dirs_socket(config);
    TB_AUTO(tb_free) char *base = tb_strdup(way->url ? way->url : "http://localhost");
    cut_slashes(base);
    TB_AUTO(tb_free) char *url = tb_strdupf("%s%s", base, call->path);
    TB_AUTO(tb_free) char *bearer = token ? tb_strdupf("Authorization: Bearer %s", token) : NULL;
    TB_AUTO(tb_free)
    char *tenant = call->tenant ? tb_strdupf("X-Tabard-Tenant: %s", call->tenant) : NULL;
    const char *headers[HEADERS + 1] = {"Content-Type: application/json"};
    size_t count = 1;
    if (bearer) {
        headers[count++] = bearer;
    }
    if (tenant) {
        headers[count++] = tenant;
    }
    const struct tb_http_client_request request = {.method = call->method,
                                                   .url = url,
                                                   .unix_socket = socket,
                                                   .headers = headers,
                                                   .body = call->body,
                                                   .timeout_ms = ANSWER_MS,
                                                   .response_max = ANSWER_MAX};
    return explain(socket, exchange(&request, body, err), err);
}
