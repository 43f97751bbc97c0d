/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events_print.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "proto/sse.h"

enum {
    EVENT_BYTES = 2 * TB_EVENT_MAX,
    PATH_MAX_BYTES = 2 * TB_KIB,
    TIME_WIDTH = 24,
    TYPE_WIDTH = 20,
    SESSION_WIDTH = 16,
};

struct printing {
    struct tb_sse *sse;
    bool json;
    int error; /* of stdout; 0: none */
};

static int put_query(const struct tb_events_wish *wish, struct tb_buf *out)
{
    const char *const pairs[][2] = {
        {"type", wish->type}, {"session", wish->session}, {"kind", wish->kind}};
    char before = '?';
    int rc = tb_buf_append_cstr(out, "/api/events");
    for (size_t i = 0; rc == 0 && i < TB_COUNT(pairs); i++) {
        if (pairs[i][1]) {
            rc = tb_buf_printf(out, "%c%s=", before, pairs[i][0]);
            rc = rc < 0 ? rc : tb_daemon_call_escape(pairs[i][1], out);
            before = '&';
        }
    }
    return rc < 0 ? rc : tb_buf_append_char(out, '\0');
}

/* What has no column: "tool=browser_click code=ok ms=12" */
static void print_rest(const struct cJSON *data)
{
    JSON_ARRAY_FOREACH(item, data) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_EVENT_MAX);
        struct tb_str value;
        const char *name = tb_json_name(item);
        if (!name || strcmp(name, "name") == 0 || strcmp(name, "session") == 0) {
            continue;
        }
        printf("%s=", name);
        if (!tb_json_str(item, &value)) {
            tb_json_print(item, &text);
            value = tb_buf_str(&text);
        }
        tb_verbs_print(value);
        putchar(' ');
    }
    putchar('\n');
}

static void print_row(struct tb_str json)
{
    TB_AUTO(tb_json_free) struct cJSON *event = tb_json_parse(json);
    const struct cJSON *data = tb_json_get(event, "data");
    struct tb_str session = tb_json_text(event, "sessionId");
    tb_verbs_print_cell(tb_json_text(event, "time"), SIZE_MAX, TIME_WIDTH);
    tb_verbs_print_cell(tb_json_text(event, "type"), SIZE_MAX, TYPE_WIDTH);
    tb_verbs_print_cell(session, SIZE_MAX, SESSION_WIDTH);
    print_rest(data);
}

static void on_event(struct tb_sse *sse, const struct tb_sse_message *message, void *user)
{
    struct printing *printing = user;
    (void)sse;
    if (!message->data.len) {
        return;
    }
    if (printing->json) {
        printf("%.*s\n", TB_STR_ARG(message->data));
    } else {
        print_row(message->data);
    }
    if (fflush(stdout) != 0) {
        printing->error = errno;
    }
}

static bool on_data(struct tb_str piece, void *user)
{
    struct printing *printing = user;
    return tb_sse_feed(printing->sse, piece) == 0 && !printing->error;
}

int tb_events_print(const struct tb_wish *base, const struct tb_config *config,
                    const struct tb_events_wish *wish, struct tb_err *err)
{
    static const struct tb_sse_limits limits = {.line_max = EVENT_BYTES, .data_max = EVENT_BYTES};
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(PATH_MAX_BYTES);
    struct printing printing = {.json = base->json};
    if (put_query(wish, &path) < 0) {
        return tb_fail(err, TB_E_PARAMS, "the options are too long");
    }
    const struct tb_daemon_call call = {
        .method = "GET", .path = (const char *)path.data, .tenant = wish->tenant};
    printing.sse = tb_sse_new(&limits, on_event, &printing);
    int rc = tb_daemon_stream(config, &base->way, &call, on_data, &printing, err);
    tb_sse_free(printing.sse);
    if (printing.error == EPIPE) { /* the end of any program whose reader has left */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return rc;
}
