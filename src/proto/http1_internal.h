/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the HTTP/1 parser share; nobody else includes this.
 *
 *   http1.c         states of a connection, bodies
 *   http1_scan.c    heads and trailers byte by byte: structure of lines, characters, ceilings
 *   http1_chunk.c   the line before each chunk, byte by byte
 *   http1_head.c    a complete head taken apart
 *   http1_target.c  the four forms of a request target
 *   http1_fields.c  what the headers mean: framing, host, connection */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "proto/http1.h"

/* Sets of characters, as bits. */
enum tb_http1_class {
    TB_HTTP1_TOKEN = 1,  /* methods and header names */
    TB_HTTP1_TARGET = 2, /* request targets */
    TB_HTTP1_LINE = 4,   /* a request line: printable ASCII and the space */
    TB_HTTP1_VALUE = 8,  /* header values, reasons, chunk extensions */
};

/* True if the text is not empty and has only characters of the set. */
bool tb_http1_all(struct tb_str text, enum tb_http1_class set);
/* How many bytes from `at` on belong to the set, counting no further than `room`. */
size_t tb_http1_run(struct tb_str bytes, size_t at, size_t room, enum tb_http1_class set);

struct tb_http1_scan {
    uint8_t state;
    uint8_t first_set;
    size_t line_bytes;
    size_t head_bytes;
    size_t header_count;
};

void tb_http1_scan_head(struct tb_http1_scan *scan, enum tb_http1_kind kind);
/* Header lines only, as behind the last chunk. */
void tb_http1_scan_trailers(struct tb_http1_scan *scan);
/* 1 when the empty line has come, 0 when all bytes are used and it has not, negative on bad bytes.
 * *ret_used bytes belong to the head. */
int tb_http1_scan(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                  struct tb_str bytes, size_t *ret_used, struct tb_err *err);

struct tb_http1_chunk {
    uint8_t state;
    uint8_t digits;
    size_t ext_bytes;
    uint64_t size;
};

void tb_http1_chunk_start(struct tb_http1_chunk *chunk);
/* 1 when the line is complete (then chunk->size holds), 0 for more, negative on bad bytes. */
int tb_http1_chunk_line(struct tb_http1_chunk *chunk, size_t ext_max, struct tb_str bytes,
                        size_t *ret_used, struct tb_err *err);

/* A head and its headers in one block of memory. */
struct tb_http1_message {
    struct tb_http1_head head;
    struct tb_http1_header headers[];
};

/* Takes a head apart that the scanner has passed. The result's slices point into `bytes`; the
 * caller frees it with tb_free. */
int tb_http1_message_new(enum tb_http1_kind kind, struct tb_str bytes, size_t header_count,
                         struct tb_http1_message **ret_message, struct tb_err *err);
/* From method and target: form, scheme, authority, path, query. */
int tb_http1_target_parse(struct tb_http1_head *head, struct tb_err *err);
/* From the headers: everything else that the head says. */
int tb_http1_fields_parse(enum tb_http1_kind kind, struct tb_http1_head *head, struct tb_err *err);
