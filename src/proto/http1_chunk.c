/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/http1_internal.h"

/* chunk-size [ chunk-ext ] CRLF (RFC 9112 7.1). No space before the semicolon, no sign, no 0x: what
 * one parser skips another one reads. */
enum state {
    SIZE,
    EXT,
    LF,
};

enum {
    DIGITS_MAX = 16, /* leading zeros count, or a line could be as long as one likes */
};

void tb_http1_chunk_start(struct tb_http1_chunk *chunk)
{
    *chunk = (struct tb_http1_chunk){.state = SIZE};
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int size_byte(struct tb_http1_chunk *chunk, char c, struct tb_err *err)
{
    int digit = hex_digit(c);
    if (digit >= 0 && chunk->digits < DIGITS_MAX) {
        chunk->size = chunk->size << 4 | (unsigned)digit;
        chunk->digits++;
        return 0;
    }
    if (digit >= 0 || chunk->digits == 0 || (c != ';' && c != '\r')) {
        return tb_fail(err, TB_E_PROTOCOL, "a chunk's size is not 1 to 16 hexadecimal digits");
    }
    chunk->ext_bytes = c == ';';
    chunk->state = c == ';' ? EXT : LF;
    return 0;
}

/* Extensions mean nothing to us and are passed over. Their grammar is not checked, only that no
 * byte of theirs could end the line for a laxer parser. */
static int ext_bytes(struct tb_http1_chunk *chunk, size_t ext_max, struct tb_str bytes, size_t *at,
                     struct tb_err *err)
{
    size_t room = chunk->ext_bytes > ext_max ? 0 : ext_max - chunk->ext_bytes;
    size_t run = tb_http1_run(bytes, *at, room, TB_HTTP1_VALUE);
    *at += run;
    chunk->ext_bytes += run;
    if (*at == bytes.len) {
        return 0;
    }
    if (bytes.ptr[*at] != '\r' || chunk->ext_bytes > ext_max) {
        return tb_fail(err, TB_E_PROTOCOL,
                       "a chunk's extension has a bad byte or is longer than %zu bytes", ext_max);
    }
    ++*at;
    chunk->state = LF;
    return 0;
}

int tb_http1_chunk_line(struct tb_http1_chunk *chunk, size_t ext_max, struct tb_str bytes,
                        size_t *ret_used, struct tb_err *err)
{
    size_t at = 0;
    int rc = 0;
    while (rc == 0 && at < bytes.len) {
        if (chunk->state == SIZE) {
            rc = size_byte(chunk, bytes.ptr[at++], err);
        } else if (chunk->state == EXT) {
            rc = ext_bytes(chunk, ext_max, bytes, &at, err);
        } else if (bytes.ptr[at++] == '\n') {
            rc = 1;
        } else {
            rc = tb_fail(err, TB_E_PROTOCOL, "no LF follows the CR after a chunk's size");
        }
    }
    *ret_used = at;
    return rc;
}
