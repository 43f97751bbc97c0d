/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>

#include "proto/http1_internal.h"

/*   FIRST -> FIRST_LF -> LINE -> NAME -> VALUE -> VALUE_LF -> LINE ... -> END_LF -> DONE
 *
 * Each byte is looked at once, when it comes, so a head sent byte by byte costs no more than one
 * sent whole, and a bad byte or a passed ceiling is known at that byte. Trailers start at LINE. */
enum state {
    FIRST,
    FIRST_LF,
    LINE,
    NAME,
    VALUE,
    VALUE_LF,
    END_LF,
    DONE,
};

enum {
    STOPPED = 1, /* at a byte that is not of the set */
    TEXT = TB_HTTP1_LINE | TB_HTTP1_VALUE,
    URI = TEXT | TB_HTTP1_TARGET,
    ALL = URI | TB_HTTP1_TOKEN,
};

/* Token characters are those of RFC 9110 5.6.2. A target may have what browsers leave unescaped
 * (| ^ { } [ ] \ and the like, though RFC 3986 forbids them), for the proxy must let their requests
 * through; a fragment, spaces, quotes, angle brackets and non-ASCII they never send. Bytes from
 * 0x80 on are opaque in values (RFC 9110 5.5) and have to pass the proxy; nothing that we interpret
 * accepts them. */
static const uint8_t classes[UCHAR_MAX + 1] = {
    ['\t'] = TB_HTTP1_VALUE,
    [' '] = TEXT,
    ['!'] = ALL,
    ['"'] = TEXT,
    ['#'] = TEXT | TB_HTTP1_TOKEN,
    ['$' ... '\''] = ALL,
    ['(' ... ')'] = URI,
    ['*' ... '+'] = ALL,
    [','] = URI,
    ['-' ... '.'] = ALL,
    ['/'] = URI,
    ['0' ... '9'] = ALL,
    [':' ... ';'] = URI,
    ['<'] = TEXT,
    ['='] = URI,
    ['>'] = TEXT,
    ['?' ... '@'] = URI,
    ['A' ... 'Z'] = ALL,
    ['[' ... ']'] = URI,
    ['^' ... '`'] = ALL,
    ['a' ... 'z'] = ALL,
    ['{'] = URI,
    ['|'] = ALL,
    ['}'] = URI,
    ['~'] = ALL,
    [0x80 ... UCHAR_MAX] = TB_HTTP1_VALUE,
};

static bool in_set(char c, unsigned set)
{
    return classes[(unsigned char)c] & set;
}

bool tb_http1_all(struct tb_str text, enum tb_http1_class set)
{
    return text.len && tb_http1_run(text, 0, text.len, set) == text.len;
}

size_t tb_http1_run(struct tb_str bytes, size_t at, size_t room, enum tb_http1_class set)
{
    const char *from = bytes.ptr + at;
    const char *end = from + (bytes.len - at > room ? room : bytes.len - at);
    const char *stop = from;
    while (stop < end && in_set(*stop, set)) {
        stop++;
    }
    return (size_t)(stop - from);
}

void tb_http1_scan_head(struct tb_http1_scan *scan, enum tb_http1_kind kind)
{
    *scan = (struct tb_http1_scan){.state = FIRST};
    /* A reason phrase is free text; a request line is ASCII throughout. */
    scan->first_set = kind == TB_HTTP1_REQUEST ? TB_HTTP1_LINE : TB_HTTP1_VALUE;
}

void tb_http1_scan_trailers(struct tb_http1_scan *scan)
{
    *scan = (struct tb_http1_scan){.state = LINE};
}

static int bad_byte(struct tb_err *err, const char *where)
{
    return tb_fail(err, TB_E_PROTOCOL, "%s contains a byte that is not allowed", where);
}

static int first_line(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                      struct tb_str bytes, size_t *at, struct tb_err *err)
{
    size_t run = tb_http1_run(bytes, *at, limits->line_max - scan->line_bytes, scan->first_set);
    *at += run;
    scan->line_bytes += run;
    if (*at == bytes.len) {
        return 0;
    }
    char c = bytes.ptr[*at];
    if (in_set(c, scan->first_set)) {
        bool request = scan->first_set == TB_HTTP1_LINE;
        return tb_fail(err, request ? TB_E_URI_TOO_LONG : TB_E_HEADERS_TOO_LARGE,
                       "the first line is longer than %zu bytes", limits->line_max);
    }
    if (c != '\r' || scan->line_bytes == 0) {
        return bad_byte(err, "the first line");
    }
    ++*at;
    scan->state = FIRST_LF;
    return 0;
}

static int too_large(const struct tb_http1_limits *limits, struct tb_err *err)
{
    return tb_fail(err, TB_E_HEADERS_TOO_LARGE,
                   "there are more than %zu headers, or more than %zu bytes of them",
                   limits->header_count, limits->head_max);
}

/* Passes over bytes of the set; STOPPED when another one stands there and there is room for it. */
static int header_run(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                      struct tb_str bytes, size_t *at, enum tb_http1_class set, struct tb_err *err)
{
    size_t run = tb_http1_run(bytes, *at, limits->head_max - scan->head_bytes, set);
    *at += run;
    scan->head_bytes += run;
    if (*at == bytes.len) {
        return 0;
    }
    return scan->head_bytes == limits->head_max ? too_large(limits, err) : STOPPED;
}

/* The first byte of a header line, or the CR of the line that ends the head. */
static int line_start(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                      struct tb_str bytes, size_t *at, struct tb_err *err)
{
    char c = bytes.ptr[*at];
    if (c == '\r') {
        ++*at;
        scan->state = END_LF;
        return 0;
    }
    if (c == ' ' || c == '\t') {
        return tb_fail(err, TB_E_PROTOCOL,
                       "a header continues on the next line, which is not allowed");
    }
    if (!in_set(c, TB_HTTP1_TOKEN)) {
        return bad_byte(err, "a header's name");
    }
    if (scan->header_count == limits->header_count) {
        return too_large(limits, err);
    }
    scan->header_count++;
    scan->state = NAME;
    return 0;
}

static int header_part(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                       struct tb_str bytes, size_t *at, struct tb_err *err)
{
    bool name = scan->state == NAME;
    int rc = header_run(scan, limits, bytes, at, name ? TB_HTTP1_TOKEN : TB_HTTP1_VALUE, err);
    if (rc != STOPPED) {
        return rc;
    }
    /* A space before the colon is no part of any name (RFC 9112 5.1): some drop it, some do not,
     * and so two parsers see two headers. */
    if (bytes.ptr[*at] != (name ? ':' : '\r')) {
        return bad_byte(err, name ? "a header's name" : "a header's value");
    }
    ++*at;
    scan->head_bytes++;
    scan->state = name ? VALUE : VALUE_LF;
    return 0;
}

static int line_feed(struct tb_http1_scan *scan, const struct tb_http1_limits *limits, char c,
                     struct tb_err *err)
{
    if (scan->state == VALUE_LF && scan->head_bytes++ == limits->head_max) {
        return too_large(limits, err);
    }
    if (c != '\n') {
        return tb_fail(err, TB_E_PROTOCOL, "no LF follows a CR");
    }
    scan->state = scan->state == END_LF ? DONE : LINE;
    return 0;
}

int tb_http1_scan(struct tb_http1_scan *scan, const struct tb_http1_limits *limits,
                  struct tb_str bytes, size_t *ret_used, struct tb_err *err)
{
    size_t at = 0;
    int rc = 0;
    while (rc == 0 && at < bytes.len && scan->state != DONE) {
        switch ((enum state)scan->state) {
        case FIRST:
            rc = first_line(scan, limits, bytes, &at, err);
            break;
        case LINE:
            rc = line_start(scan, limits, bytes, &at, err);
            break;
        case NAME:
        case VALUE:
            rc = header_part(scan, limits, bytes, &at, err);
            break;
        case FIRST_LF:
        case VALUE_LF:
        case END_LF:
            rc = line_feed(scan, limits, bytes.ptr[at++], err);
            break;
        case DONE:
            break;
        }
    }
    *ret_used = at;
    return rc < 0 ? rc : scan->state == DONE;
}
