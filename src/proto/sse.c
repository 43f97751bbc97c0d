/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/sse.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"

static const char bom[] = "\xef\xbb\xbf";

enum {
    BOM_BYTES = sizeof(bom) - 1,
};

struct tb_sse {
    struct tb_sse_limits limits;
    tb_sse_fn *fn;
    void *user;
    struct tb_buf line; /* the start of a line whose end has not come */
    struct tb_buf data;
    struct tb_buf event;
    struct tb_buf next_id; /* counts from the next empty line on */
    struct tb_buf last_id;
    int64_t retry_ms;
    bool begun;   /* the first line, which may have a byte order mark, is behind */
    bool skip_lf; /* the last byte was CR: an LF belongs to it */
    bool feeding;
    bool freed;
    int failed;
};

/* The bytes before the first CR or LF. */
static size_t line_len(struct tb_str text)
{
    const char *lf = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    size_t len = lf ? (size_t)(lf - text.ptr) : text.len;
    const char *cr = len ? memchr(text.ptr, '\r', len) : NULL;
    return cr ? (size_t)(cr - text.ptr) : len;
}

static bool has_break(struct tb_str text)
{
    return line_len(text) < text.len;
}

static int write_line(struct tb_buf *out, const char *field, struct tb_str value)
{
    int rc = tb_buf_append_cstr(out, field);
    rc = rc < 0 ? rc : tb_buf_append_str(out, value);
    return rc < 0 ? rc : tb_buf_append_char(out, '\n');
}

/* One line of the field for each line of the text; at least one. */
static int write_lines(struct tb_buf *out, const char *field, struct tb_str text)
{
    for (;;) {
        size_t len = line_len(text);
        int rc = write_line(out, field, tb_str_sub(text, 0, len));
        if (rc < 0 || len == text.len) {
            return rc;
        }
        bool crlf = text.ptr[len] == '\r' && len + 1 < text.len && text.ptr[len + 1] == '\n';
        text = tb_str_sub(text, len + (crlf ? 2 : 1), text.len);
    }
}

static int write_event(struct tb_buf *out, const struct tb_sse_event *event)
{
    int rc = 0;
    if (event->comment.ptr) {
        rc = write_lines(out, ": ", event->comment);
    }
    if (rc == 0 && event->retry_ms > 0) {
        rc = tb_buf_printf(out, "retry: %" PRId64 "\n", event->retry_ms);
    }
    if (rc == 0 && event->event.ptr) {
        rc = write_line(out, "event: ", event->event);
    }
    if (rc == 0 && event->id.ptr) {
        rc = write_line(out, "id: ", event->id);
    }
    if (rc == 0 && event->data.ptr) {
        rc = write_lines(out, "data: ", event->data);
    }
    return rc < 0 ? rc : tb_buf_append_char(out, '\n');
}

int tb_sse_write(struct tb_buf *out, const struct tb_sse_event *event)
{
    if (has_break(event->event) || has_break(event->id) ||
        (event->id.len && memchr(event->id.ptr, '\0', event->id.len))) {
        return TB_E_INVALID;
    }
    size_t before = out->len;
    int rc = write_event(out, event);
    if (rc < 0) {
        out->len = before;
    }
    return rc;
}

struct tb_sse *tb_sse_new(const struct tb_sse_limits *limits, tb_sse_fn *fn, void *user)
{
    struct tb_sse *sse = TB_NEW(struct tb_sse);
    sse->limits = *limits;
    sse->fn = fn;
    sse->user = user;
    sse->retry_ms = -1;
    tb_buf_init(&sse->line, limits->line_max);
    /* The LF behind each line of data; the last one is no part of the event. */
    tb_buf_init(&sse->data, limits->data_max < SIZE_MAX ? limits->data_max + 1 : SIZE_MAX);
    tb_buf_init(&sse->event, limits->line_max);
    tb_buf_init(&sse->next_id, limits->line_max);
    tb_buf_init(&sse->last_id, limits->line_max);
    return sse;
}

void tb_sse_free(struct tb_sse *sse)
{
    if (!sse) {
        return;
    }
    if (sse->feeding) {
        sse->freed = true;
        return;
    }
    tb_buf_fini(&sse->line);
    tb_buf_fini(&sse->data);
    tb_buf_fini(&sse->event);
    tb_buf_fini(&sse->next_id);
    tb_buf_fini(&sse->last_id);
    tb_free(sse);
}

static int set(struct tb_buf *buf, struct tb_str value)
{
    tb_buf_clear(buf);
    return tb_buf_append_str(buf, value);
}

static int take_field(struct tb_sse *sse, struct tb_str field, struct tb_str value)
{
    if (tb_str_eq_cstr(field, "data")) {
        size_t before = sse->data.len;
        int rc = tb_buf_append_str(&sse->data, value);
        rc = rc < 0 ? rc : tb_buf_append_char(&sse->data, '\n');
        sse->data.len = rc < 0 ? before : sse->data.len;
        return rc;
    }
    if (tb_str_eq_cstr(field, "event")) {
        return set(&sse->event, value);
    }
    if (tb_str_eq_cstr(field, "id")) {
        bool nul = value.len && memchr(value.ptr, '\0', value.len);
        return nul ? 0 : set(&sse->next_id, value);
    }
    uint64_t retry;
    if (tb_str_eq_cstr(field, "retry") && tb_str_to_u64(value, &retry) && retry <= INT64_MAX) {
        sse->retry_ms = (int64_t)retry;
    }
    return 0;
}

static int dispatch(struct tb_sse *sse)
{
    int rc = set(&sse->last_id, tb_buf_str(&sse->next_id));
    if (rc == 0 && sse->data.len > 0) {
        struct tb_str data = tb_buf_str(&sse->data);
        struct tb_sse_message message = {
            .event = sse->event.len ? tb_buf_str(&sse->event) : TB_STR("message"),
            .data = tb_str_sub(data, 0, data.len - 1),
            .last_id = tb_buf_str(&sse->last_id),
        };
        sse->fn(sse, &message, sse->user);
    }
    tb_buf_fini(&sse->data);
    tb_buf_clear(&sse->event);
    return rc;
}

static int take_line(struct tb_sse *sse, struct tb_str line)
{
    if (!sse->begun) {
        sse->begun = true;
        if (tb_str_starts(line, (struct tb_str){bom, BOM_BYTES})) {
            line = tb_str_sub(line, BOM_BYTES, line.len);
        }
    }
    if (line.len == 0) {
        return dispatch(sse);
    }
    /* A comment has an empty name, which is no field. */
    struct tb_str value = line;
    struct tb_str field = tb_str_cut(&value, ':');
    if (value.len > 0 && value.ptr[0] == ' ') {
        value = tb_str_sub(value, 1, value.len);
    }
    return take_field(sse, field, value);
}

/* Takes a line, or its start, from the front of *bytes. */
static int step(struct tb_sse *sse, struct tb_str *bytes)
{
    bool lf = sse->skip_lf && bytes->ptr[0] == '\n';
    sse->skip_lf = false;
    if (lf) {
        *bytes = tb_str_sub(*bytes, 1, bytes->len);
        return 0;
    }
    size_t len = line_len(*bytes);
    struct tb_str line = tb_str_sub(*bytes, 0, len);
    bool ended = len < bytes->len;
    if (len > sse->limits.line_max) {
        return TB_E_TOO_LARGE;
    }
    /* A line that lies whole in the input is used where it lies. */
    if (!ended || sse->line.len > 0) {
        int rc = tb_buf_append_str(&sse->line, line);
        if (rc < 0) {
            return rc;
        }
        line = tb_buf_str(&sse->line);
    }
    if (!ended) {
        *bytes = tb_str_sub(*bytes, len, bytes->len);
        return 0;
    }
    sse->skip_lf = bytes->ptr[len] == '\r';
    *bytes = tb_str_sub(*bytes, len + 1, bytes->len);
    int rc = take_line(sse, line);
    tb_buf_fini(&sse->line);
    return rc;
}

int tb_sse_feed(struct tb_sse *sse, struct tb_str bytes)
{
    if (sse->feeding || sse->failed) {
        return sse->feeding ? TB_E_INVALID : sse->failed;
    }
    sse->feeding = true;
    while (bytes.len > 0 && !sse->freed && !sse->failed) {
        sse->failed = step(sse, &bytes);
    }
    sse->feeding = false;
    int rc = sse->failed;
    if (sse->freed) {
        tb_sse_free(sse);
        rc = TB_E_CLOSED;
    }
    return rc;
}

struct tb_str tb_sse_last_id(const struct tb_sse *sse)
{
    return tb_buf_str(&sse->last_id);
}

int64_t tb_sse_retry_ms(const struct tb_sse *sse)
{
    return sse->retry_ms;
}
