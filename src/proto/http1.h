/* SPDX-License-Identifier: Apache-2.0 */
/* A strict, incremental HTTP/1.1 parser (RFC 9112) for requests and responses; no I/O. It serves
 * the server, the forward proxy and the tests. Whatever allows request smuggling is refused, never
 * repaired.
 *
 *   while ((event = tb_http1_next(parser, &input, &body, &err)) > TB_HTTP1_MORE) ...
 *
 * HEAD -> BODY* -> END for each message, then the next one. A negative result is final for the
 * connection; its row in err.def has the status to answer with. The head's slices live until the
 * next message begins, body slices point into the input. Ceilings come from the caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct tb_http1;

struct tb_http1_limits {
    size_t line_max; /* request or status line, without its CR LF */
    size_t head_max; /* all header lines together, with theirs; trailers again as much */
    size_t header_count;
    uint64_t body_max;
    size_t chunk_ext_max; /* extensions of one chunk, from the first semicolon */
};

enum tb_http1_kind {
    TB_HTTP1_REQUEST,
    TB_HTTP1_RESPONSE,
};

enum tb_http1_event {
    TB_HTTP1_MORE, /* the input is used up */
    TB_HTTP1_HEAD,
    TB_HTTP1_BODY,
    TB_HTTP1_END,
};

enum tb_http1_form {
    TB_HTTP1_ORIGIN,    /* /path?query */
    TB_HTTP1_ABSOLUTE,  /* http://host/path */
    TB_HTTP1_AUTHORITY, /* host:port, CONNECT only */
    TB_HTTP1_ASTERISK,  /* *, OPTIONS only */
};

struct tb_http1_header {
    struct tb_str name;
    struct tb_str value;
};

struct tb_http1_head {
    struct tb_str method; /* request */
    struct tb_str target;
    enum tb_http1_form form;
    struct tb_str scheme;    /* absolute form only */
    struct tb_str authority; /* of the target (absolute, authority form), else the Host header */
    struct tb_str path;  /* empty for authority and asterisk form, else at least "/"; not decoded */
    struct tb_str query; /* without the question mark */
    int status;          /* response */
    struct tb_str reason;
    int minor;            /* HTTP/1.minor, 0 or 1 */
    bool keep_alive;      /* as version and Connection say, however the body ends */
    bool upgrade;         /* Connection names upgrade and Upgrade is there */
    bool expect_continue; /* the peer waits for 100 before it sends the body */
    bool chunked;
    bool has_length;
    uint64_t length; /* if has_length */
    const struct tb_http1_header *headers;
    size_t header_count;
};

struct tb_http1 *tb_http1_new(enum tb_http1_kind kind, const struct tb_http1_limits *limits);
void tb_http1_free(struct tb_http1 *parser);
TB_DEFINE_AUTO(struct tb_http1 *, tb_http1_free)

/* Takes from the front of *input. On TB_HTTP1_BODY *ret_body is a piece of the decoded body. */
int tb_http1_next(struct tb_http1 *parser, struct tb_str *input, struct tb_str *ret_body,
                  struct tb_err *err);
/* The head of the current message, from HEAD until the message after END begins; else NULL. */
const struct tb_http1_head *tb_http1_head(const struct tb_http1 *parser);
/* After HEAD: a smaller or larger body ceiling for this message only. A length that is known to be
 * over it fails at the next call. */
void tb_http1_set_body_max(struct tb_http1 *parser, uint64_t body_max);
/* After HEAD of a response: no body follows, whatever the headers say (the request was HEAD or
 * CONNECT). */
void tb_http1_set_no_body(struct tb_http1 *parser);
/* The input has ended. 0 at a message boundary or if the end is what ends this response's body
 * (then *ret_event is TB_HTTP1_END); TB_E_PROTOCOL in the middle of a message. */
int tb_http1_eof(struct tb_http1 *parser, enum tb_http1_event *ret_event, struct tb_err *err);
/* True while nothing of the next message has come (keep-alive idle). */
bool tb_http1_idle(const struct tb_http1 *parser);
/* Gives back the memory of the last message's head, for a connection that goes idle: its slices are
 * dead then. Without effect inside a message. */
void tb_http1_release(struct tb_http1 *parser);

/* True if the head of a request says that a body follows that is not empty, or may be. */
bool tb_http1_has_body(const struct tb_http1_head *head);
/* The value of a header, compared without case; pointer NULL when absent. First one if repeated. */
struct tb_str tb_http1_header(const struct tb_http1_head *head, const char *name);
/* How often a header stands there. */
size_t tb_http1_header_times(const struct tb_http1_head *head, const char *name);
