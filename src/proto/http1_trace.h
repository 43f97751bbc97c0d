/* SPDX-License-Identifier: Apache-2.0 */
/* For tests and fuzz targets of http1: feeds bytes to a parser in pieces and writes down everything
 * that it reports, so that two ways of cutting the same bytes can be compared as text.
 *
 * Pieces of a body are joined, for they follow the input. Each piece of input is a block of memory
 * of its own that is freed at once: a read over its end, or a head that points into it, is seen by
 * ASan. */
#pragma once

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "proto/http1.h"

enum {
    TB_HTTP1_WHOLE = 0, /* seeds for cutting; any other is random cutting */
    TB_HTTP1_BYTEWISE = 1,
};

struct tb_http1_trace {
    struct tb_http1 *parser;
    struct tb_buf text;
    struct tb_buf body; /* of the current message */
    size_t heads;
    size_t ends;
    int rc;       /* of the failure, else 0 */
    bool no_body; /* tell so after every head */
};

static inline struct tb_http1_trace tb_http1_trace_of(enum tb_http1_kind kind,
                                                      const struct tb_http1_limits *limits)
{
    return (struct tb_http1_trace){
        .parser = tb_http1_new(kind, limits),
        .text = TB_BUF(SIZE_MAX / 2),
        .body = TB_BUF(SIZE_MAX / 2),
    };
}

static inline void tb_http1_trace_fini(struct tb_http1_trace *trace)
{
    tb_http1_free(trace->parser);
    tb_buf_fini(&trace->text);
    tb_buf_fini(&trace->body);
}

static inline void tb_http1_trace_fini_auto(struct tb_http1_trace *trace)
{
    tb_http1_trace_fini(trace);
}

static inline void tb_http1_trace_str(struct tb_http1_trace *trace, const char *key,
                                      struct tb_str value)
{
    tb_buf_printf(&trace->text, " %s=", key);
    if (value.len) {
        tb_buf_append_str(&trace->text, value);
    } else {
        tb_buf_append_char(&trace->text, '-');
    }
}

static inline void tb_http1_trace_head(struct tb_http1_trace *trace)
{
    static const char *const forms[] = {"origin", "absolute", "authority", "asterisk"};
    const struct tb_http1_head *head = tb_http1_head(trace->parser);
    if (head->status) {
        tb_buf_printf(&trace->text, "%d", head->status);
        tb_http1_trace_str(trace, "reason", head->reason);
    } else {
        tb_buf_append_str(&trace->text, head->method);
        tb_buf_printf(&trace->text, " %s", forms[head->form]);
        tb_http1_trace_str(trace, "scheme", head->scheme);
        tb_http1_trace_str(trace, "at", head->authority);
        tb_http1_trace_str(trace, "path", head->path);
        tb_http1_trace_str(trace, "query", head->query);
    }
    tb_buf_printf(&trace->text, " 1.%d%s%s%s%s", head->minor, head->keep_alive ? " keep" : "",
                  head->upgrade ? " upgrade" : "", head->expect_continue ? " expect" : "",
                  head->chunked ? " chunked" : "");
    if (head->has_length) {
        tb_buf_printf(&trace->text, " length=%llu", (unsigned long long)head->length);
    }
    for (size_t i = 0; i < head->header_count; i++) {
        tb_buf_append_str(&trace->text, TB_STR(" ["));
        tb_buf_append_str(&trace->text, head->headers[i].name);
        tb_buf_append_str(&trace->text, TB_STR(": "));
        tb_buf_append_str(&trace->text, head->headers[i].value);
        tb_buf_append_char(&trace->text, ']');
    }
    trace->heads++;
    if (trace->no_body) {
        tb_http1_set_no_body(trace->parser);
    }
}

static inline void tb_http1_trace_body(struct tb_http1_trace *trace)
{
    tb_http1_trace_str(trace, "body", tb_buf_str(&trace->body));
    tb_buf_fini(&trace->body);
}

static inline void tb_http1_trace_end(struct tb_http1_trace *trace)
{
    tb_http1_trace_body(trace);
    tb_buf_append_str(&trace->text, TB_STR(" END\n"));
    trace->ends++;
}

static inline void tb_http1_trace_fail(struct tb_http1_trace *trace, int rc)
{
    tb_http1_trace_body(trace);
    tb_buf_printf(&trace->text, " FAIL %s\n", tb_err_name(rc));
    trace->rc = rc;
}

/* All that one piece of input gives. */
static inline void tb_http1_trace_piece(struct tb_http1_trace *trace, struct tb_str piece)
{
    struct tb_str input = piece;
    struct tb_str body;
    int event;
    while ((event = tb_http1_next(trace->parser, &input, &body, NULL)) > TB_HTTP1_MORE) {
        if (event == TB_HTTP1_HEAD) {
            tb_http1_trace_head(trace);
        } else if (event == TB_HTTP1_BODY) {
            assert(body.len && body.ptr >= piece.ptr && body.ptr + body.len == input.ptr);
            tb_buf_append_str(&trace->body, body);
        } else {
            tb_http1_trace_end(trace);
        }
    }
    if (event < 0) {
        tb_http1_trace_fail(trace, event);
    } else {
        assert(input.len == 0);
    }
}

/* Xorshift: the same seed cuts in the same places. */
static inline size_t tb_http1_trace_cut(uint64_t *seed, size_t left)
{
    if (*seed == TB_HTTP1_WHOLE || *seed == TB_HTTP1_BYTEWISE) {
        return *seed == TB_HTTP1_WHOLE ? left : 1;
    }
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return 1 + (size_t)(*seed >> 32) % (*seed % 4 ? 8 : left);
}

static inline void tb_http1_trace_feed(struct tb_http1_trace *trace, struct tb_str bytes,
                                       uint64_t seed)
{
    seed *= seed > TB_HTTP1_BYTEWISE ? 0x9e3779b97f4a7c15U : 1; /* neighbours cut differently */
    while (bytes.len && trace->rc == 0) {
        size_t len = tb_http1_trace_cut(&seed, bytes.len);
        len = len > bytes.len ? bytes.len : len;
        char *copy = malloc(len);
        memcpy(copy, bytes.ptr, len);
        tb_http1_trace_piece(trace, (struct tb_str){copy, len});
        free(copy);
        bytes = tb_str_sub(bytes, len, bytes.len);
    }
}

/* The end of the input. */
static inline void tb_http1_trace_eof(struct tb_http1_trace *trace)
{
    enum tb_http1_event event;
    int rc = trace->rc ? 0 : tb_http1_eof(trace->parser, &event, NULL);
    if (rc < 0) {
        tb_http1_trace_fail(trace, rc);
    } else if (trace->rc == 0 && event == TB_HTTP1_END) {
        tb_http1_trace_end(trace);
    }
}
