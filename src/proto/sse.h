/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events (WHATWG HTML, "text/event-stream"): a writer for the server, an incremental
 * parser for the client; no I/O.
 *
 * The parser takes bytes in pieces of any size and calls back once an event. What has not ended
 * with an empty line when the stream ends is thrown away, as the standard says. Ceilings come from
 * the caller; over one of them tb_sse_feed fails for good. The callback may free the parser. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* What to write. A slice whose pointer is NULL leaves its field out. */
struct tb_sse_event {
    struct tb_str comment;
    struct tb_str event;
    struct tb_str id; /* empty but not NULL: the client forgets its last id */
    struct tb_str data;
    int64_t retry_ms; /* 0: left out */
};

/* Appends the event. Line breaks in data and comment (CR, LF, CRLF) begin a new line of that field;
 * in event and id they are TB_E_INVALID, as is a NUL in the id. On failure the buffer is as it was.
 */
int tb_sse_write(struct tb_buf *out, const struct tb_sse_event *event);

/* What was read; borrowed for the callback. */
struct tb_sse_message {
    struct tb_str event; /* "message" when the server named none */
    struct tb_str data;
    struct tb_str last_id; /* of this event, or of the last one before it that had an id */
};

struct tb_sse_limits {
    size_t line_max;
    size_t data_max; /* of one event, with its line breaks */
};

struct tb_sse;
typedef void tb_sse_fn(struct tb_sse *sse, const struct tb_sse_message *message, void *user);

struct tb_sse *tb_sse_new(const struct tb_sse_limits *limits, tb_sse_fn *fn, void *user);
void tb_sse_free(struct tb_sse *sse);
TB_DEFINE_AUTO(struct tb_sse *, tb_sse_free)

/* 0; TB_E_TOO_LARGE over a ceiling, now and ever after; TB_E_CLOSED when the callback freed the
 * parser. Not from inside the callback: TB_E_INVALID. */
int tb_sse_feed(struct tb_sse *sse, struct tb_str bytes);
/* For the Last-Event-ID header of the next connection; empty when there is none. */
struct tb_str tb_sse_last_id(const struct tb_sse *sse);
/* How long the server wants its clients to wait before they come back; -1 when it did not say. */
int64_t tb_sse_retry_ms(const struct tb_sse *sse);
