/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/http1.h"

#include <assert.h>

#include "base/buf.h"
#include "proto/http1_internal.h"

/* START -> HEAD -+--------------------------------------------------------> END -> START
 *                +-> LENGTH ----------------------------------------------> END
 *                +-> TO_EOF (until the input ends) -----------------------> END
 *                +-> CHUNK_LINE -+-> TRAILERS ----------------------------> END
 *                                +-> CHUNK_DATA -> CHUNK_CR -> CHUNK_LF --> CHUNK_LINE
 *
 * START -> BLANK_LF -> START passes over one empty line.
 * A refused byte leads to FAILED from anywhere, and nothing leads out of it: where the next message
 * would begin is not known any more. */
enum state {
    START,
    BLANK_LF,
    HEAD,
    LENGTH,
    CHUNK_LINE,
    CHUNK_DATA,
    CHUNK_CR,
    CHUNK_LF,
    TRAILERS,
    TO_EOF,
    END,
    FAILED,
};

enum {
    AGAIN = TB_HTTP1_END + 1, /* the state has changed and there is no event for it */
};

struct tb_http1 {
    enum tb_http1_kind kind;
    enum state state;
    int rc; /* why it is FAILED */
    bool blank_seen;
    struct tb_http1_limits limits;
    struct tb_http1_scan scan;
    struct tb_http1_chunk chunk;
    uint64_t body_max;
    uint64_t body_bytes; /* announced by chunks, or received until the end of input */
    uint64_t remaining;  /* of the body or the chunk */
    struct tb_buf bytes; /* the head, as it came */
    struct tb_http1_message *message;
};

/* Ten thousand idle connections have one each. */
static_assert(sizeof(struct tb_http1) <= 256, "an idle parser is small");

struct tb_http1 *tb_http1_new(enum tb_http1_kind kind, const struct tb_http1_limits *limits)
{
    enum {
        LINE_ENDS = 4, /* of the first line and of the head */
    };
    assert(limits->line_max < SIZE_MAX / 4 && limits->head_max < SIZE_MAX / 4);
    struct tb_http1 *parser = TB_NEW(struct tb_http1);
    parser->kind = kind;
    parser->limits = *limits;
    tb_buf_init(&parser->bytes, limits->line_max + limits->head_max + LINE_ENDS);
    return parser;
}

void tb_http1_free(struct tb_http1 *parser)
{
    if (!parser) {
        return;
    }
    tb_free(parser->message);
    tb_buf_fini(&parser->bytes);
    tb_free(parser);
}

void tb_http1_release(struct tb_http1 *parser)
{
    if (parser->state == START) {
        tb_free(parser->message);
        parser->message = NULL;
        tb_buf_fini(&parser->bytes);
    }
}

static void advance(struct tb_str *input, size_t len)
{
    input->ptr += len;
    input->len -= len;
}

static void begin_message(struct tb_http1 *parser)
{
    tb_free(parser->message);
    parser->message = NULL;
    tb_buf_clear(&parser->bytes);
    tb_http1_scan_head(&parser->scan, parser->kind);
    parser->body_max = parser->limits.body_max;
    parser->body_bytes = 0;
    parser->state = HEAD;
}

/* One empty line before a request is passed over: old clients send one behind a POST, and RFC
 * 9112 2.2 asks servers to bear it. A second one, or one before a response, comes from nothing that
 * we know. */
static int start(struct tb_http1 *parser, struct tb_str *input)
{
    if (input->ptr[0] == '\r' && parser->kind == TB_HTTP1_REQUEST && !parser->blank_seen) {
        advance(input, 1);
        parser->state = BLANK_LF;
    } else {
        begin_message(parser);
    }
    return AGAIN;
}

/* Takes one byte, which must be `wanted`. */
static int expect(struct tb_http1 *parser, struct tb_str *input, char wanted, enum state next,
                  struct tb_err *err)
{
    if (input->ptr[0] != wanted) {
        return tb_fail(err, TB_E_PROTOCOL, "a line does not end in CR LF");
    }
    advance(input, 1);
    parser->state = next;
    return AGAIN;
}

static void start_chunk(struct tb_http1 *parser)
{
    tb_http1_chunk_start(&parser->chunk);
    parser->state = CHUNK_LINE;
}

/* RFC 9112 6.3. */
static void start_body(struct tb_http1 *parser)
{
    const struct tb_http1_head *head = &parser->message->head;
    bool response = parser->kind == TB_HTTP1_RESPONSE;
    if (response && (head->status < 200 || head->status == 204 || head->status == 304)) {
        parser->state = END;
    } else if (head->chunked) {
        start_chunk(parser);
    } else if (head->has_length) {
        parser->remaining = head->length;
        parser->state = head->length ? LENGTH : END;
    } else {
        parser->state = response ? TO_EOF : END;
    }
}

static int read_head(struct tb_http1 *parser, struct tb_str *input, struct tb_err *err)
{
    size_t used;
    int done = tb_http1_scan(&parser->scan, &parser->limits, *input, &used, err);
    if (done < 0) {
        return done;
    }
    int rc = tb_buf_append(&parser->bytes, input->ptr, used);
    if (rc < 0) {
        return rc;
    }
    advance(input, used);
    if (!done) {
        return TB_HTTP1_MORE;
    }
    rc = tb_http1_message_new(parser->kind, tb_buf_str(&parser->bytes), parser->scan.header_count,
                              &parser->message, err);
    if (rc < 0) {
        return rc;
    }
    parser->blank_seen = false;
    start_body(parser);
    return TB_HTTP1_HEAD;
}

/* Hands out what there is of `remaining`; when that was all, goes on to `next`. */
static int give(struct tb_http1 *parser, struct tb_str *input, enum state next,
                struct tb_str *ret_body)
{
    size_t len = parser->remaining < input->len ? (size_t)parser->remaining : input->len;
    *ret_body = tb_str_sub(*input, 0, len);
    advance(input, len);
    parser->remaining -= len;
    parser->state = parser->remaining ? parser->state : next;
    return TB_HTTP1_BODY;
}

static int body_too_large(const struct tb_http1 *parser, struct tb_err *err)
{
    return tb_fail(err, TB_E_TOO_LARGE, "the body is larger than %llu bytes",
                   (unsigned long long)parser->body_max);
}

static int read_length(struct tb_http1 *parser, struct tb_str *input, struct tb_str *ret_body,
                       struct tb_err *err)
{
    if (parser->message->head.length > parser->body_max) {
        return body_too_large(parser, err);
    }
    return input->len ? give(parser, input, END, ret_body) : TB_HTTP1_MORE;
}

static int read_chunk_line(struct tb_http1 *parser, struct tb_str *input, struct tb_err *err)
{
    size_t used;
    int done =
        tb_http1_chunk_line(&parser->chunk, parser->limits.chunk_ext_max, *input, &used, err);
    advance(input, used);
    if (done <= 0) {
        return done;
    }
    uint64_t size = parser->chunk.size;
    if (parser->body_bytes > parser->body_max || size > parser->body_max - parser->body_bytes) {
        return body_too_large(parser, err);
    }
    parser->body_bytes += size;
    parser->remaining = size;
    parser->state = CHUNK_DATA;
    if (size == 0) {
        tb_http1_scan_trailers(&parser->scan);
        parser->state = TRAILERS;
    }
    return AGAIN;
}

/* Trailers must be well formed and within the ceilings of a head, and are then forgotten: nothing
 * here needs one, and a field that joins the head after the head was judged is a way around the
 * judgement. */
static int read_trailers(struct tb_http1 *parser, struct tb_str *input, struct tb_err *err)
{
    size_t used;
    int done = tb_http1_scan(&parser->scan, &parser->limits, *input, &used, err);
    advance(input, used);
    if (done <= 0) {
        return done;
    }
    parser->state = END;
    return AGAIN;
}

/* Stops exactly at the ceiling, so that what comes out does not depend on how the input is cut. */
static int read_to_eof(struct tb_http1 *parser, struct tb_str *input, struct tb_str *ret_body,
                       struct tb_err *err)
{
    if (parser->body_bytes >= parser->body_max) {
        return body_too_large(parser, err);
    }
    uint64_t room = parser->body_max - parser->body_bytes;
    parser->remaining = room;
    int event = give(parser, input, TO_EOF, ret_body);
    parser->body_bytes += room - parser->remaining;
    return event;
}

static int failed_before(const struct tb_http1 *parser, struct tb_err *err)
{
    return tb_fail(err, parser->rc, "an earlier message on this connection was refused");
}

static int step(struct tb_http1 *parser, struct tb_str *input, struct tb_str *ret_body,
                struct tb_err *err)
{
    /* These have something to say even when no byte is there. */
    bool speaks = parser->state == LENGTH || parser->state == END || parser->state == FAILED;
    if (input->len == 0 && !speaks) {
        return TB_HTTP1_MORE;
    }
    switch (parser->state) {
    case START:
        return start(parser, input);
    case BLANK_LF:
        parser->blank_seen = true;
        return expect(parser, input, '\n', START, err);
    case HEAD:
        return read_head(parser, input, err);
    case LENGTH:
        return read_length(parser, input, ret_body, err);
    case CHUNK_LINE:
        return read_chunk_line(parser, input, err);
    case CHUNK_DATA:
        return give(parser, input, CHUNK_CR, ret_body);
    case CHUNK_CR:
        return expect(parser, input, '\r', CHUNK_LF, err);
    case CHUNK_LF:
        start_chunk(parser);
        return expect(parser, input, '\n', CHUNK_LINE, err);
    case TRAILERS:
        return read_trailers(parser, input, err);
    case TO_EOF:
        return read_to_eof(parser, input, ret_body, err);
    case END:
        parser->state = START;
        return TB_HTTP1_END;
    default:
        return failed_before(parser, err);
    }
}

int tb_http1_next(struct tb_http1 *parser, struct tb_str *input, struct tb_str *ret_body,
                  struct tb_err *err)
{
    int event;
    do {
        event = step(parser, input, ret_body, err);
    } while (event == AGAIN);
    if (event < 0) {
        parser->state = FAILED;
        parser->rc = event;
    }
    return event;
}

const struct tb_http1_head *tb_http1_head(const struct tb_http1 *parser)
{
    return parser->message ? &parser->message->head : NULL;
}

void tb_http1_set_body_max(struct tb_http1 *parser, uint64_t body_max)
{
    parser->body_max = body_max;
}

void tb_http1_set_no_body(struct tb_http1 *parser)
{
    assert(parser->message);
    parser->state = END;
}

int tb_http1_eof(struct tb_http1 *parser, enum tb_http1_event *ret_event, struct tb_err *err)
{
    switch (parser->state) {
    case START:
        *ret_event = TB_HTTP1_MORE;
        return 0;
    case TO_EOF:
    case END:
        parser->state = START;
        *ret_event = TB_HTTP1_END;
        return 0;
    case FAILED:
        return failed_before(parser, err);
    default:
        parser->rc = tb_fail(err, TB_E_PROTOCOL, "the input ends in the middle of a message");
        parser->state = FAILED;
        return parser->rc;
    }
}

bool tb_http1_idle(const struct tb_http1 *parser)
{
    return parser->state == START;
}
