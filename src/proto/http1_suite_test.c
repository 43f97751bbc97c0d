/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "proto/http1_trace.h"

/* Runs the lists of tests/data/http; their first lines say how they are written. */

enum {
    RANDOM_CUTS = 50,
    FILE_MAX = 1 << 20,
};

static const struct tb_http1_limits limits = {
    .line_max = 1024,
    .head_max = 4096,
    .header_count = 20,
    .body_max = 1 << 20,
    .chunk_ext_max = 128,
};

static void load(const char *name, struct tb_buf *ret_text)
{
    const char *root = getenv("TABARD_ROOT");
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/tests/data/http/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    char block[4096];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        assert_int_equal(tb_buf_append(ret_text, block, got), 0);
    }
    fclose(file);
}

static unsigned hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The byte that an escape stands for; *at is behind the backslash and moves to the escape's end. */
static char unescape_one(struct tb_str text, size_t *at)
{
    assert_true(*at < text.len);
    char c = text.ptr[(*at)++];
    switch (c) {
    case 'r':
        return '\r';
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '\\':
        return '\\';
    default:
        assert_int_equal(c, 'x');
        assert_true(*at + 2 <= text.len);
        *at += 2;
        return (char)(unsigned char)(hex_value(text.ptr[*at - 2]) << 4 |
                                     hex_value(text.ptr[*at - 1]));
    }
}

static void unescape(struct tb_str text, struct tb_buf *ret_bytes)
{
    for (size_t at = 0; at < text.len;) {
        char c = text.ptr[at++];
        if (c == '\\') {
            c = unescape_one(text, &at);
        }
        tb_buf_append_char(ret_bytes, c);
    }
}

/* The next line that is no comment; false at the end. */
static bool next_line(struct tb_str *rest, struct tb_str *ret_line)
{
    while (rest->ptr) {
        *ret_line = tb_str_cut(rest, '\n');
        if (ret_line->len && ret_line->ptr[0] != '#') {
            return true;
        }
    }
    return false;
}

static void check_refused(uint64_t status, struct tb_str name, struct tb_str bytes, uint64_t seed)
{
    TB_AUTO(tb_http1_trace_fini)
    struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_REQUEST, &limits);
    tb_http1_trace_feed(&trace, bytes, seed);
    if (trace.rc == 0 || tb_err_info(trace.rc)->http_status != (int)status) {
        fail_msg("%.*s, cut by %llu: wanted %llu, got %d", TB_STR_ARG(name),
                 (unsigned long long)seed, (unsigned long long)status,
                 trace.rc ? tb_err_info(trace.rc)->http_status : 0);
    }
    if (trace.ends || trace.heads > 1) {
        fail_msg("%.*s: the request behind it was seen", TB_STR_ARG(name));
    }
    struct tb_str more = TB_STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    struct tb_str body;
    assert_int_equal(tb_http1_next(trace.parser, &more, &body, NULL), trace.rc);
    enum tb_http1_event event;
    assert_int_equal(tb_http1_eof(trace.parser, &event, NULL), trace.rc);
}

static void bad_requests_are_refused_however_they_are_cut(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf file = TB_BUF(FILE_MAX);
    load("bad.txt", &file);
    struct tb_str rest = tb_buf_str(&file);
    struct tb_str line;
    size_t cases = 0;
    while (next_line(&rest, &line)) {
        uint64_t status;
        assert_true(tb_str_to_u64(tb_str_cut(&line, '\t'), &status));
        struct tb_str name = tb_str_cut(&line, '\t');
        TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(FILE_MAX);
        unescape(line, &bytes);
        tb_buf_append_cstr(&bytes, "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n");
        for (uint64_t seed = 0; seed < RANDOM_CUTS; seed++) {
            check_refused(status, name, tb_buf_str(&bytes), seed);
        }
        cases++;
    }
    print_message("%zu bad requests\n", cases);
    assert_true(cases > 200);
}

static void check_understood(struct tb_str name, struct tb_str bytes, struct tb_str meaning,
                             uint64_t seed)
{
    TB_AUTO(tb_http1_trace_fini)
    struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_REQUEST, &limits);
    tb_http1_trace_feed(&trace, bytes, seed);
    tb_http1_trace_eof(&trace);
    struct tb_str text = tb_buf_str(&trace.text);
    if (!tb_str_eq(text, meaning)) {
        fail_msg("%.*s, cut by %llu: wanted\n%.*sgot\n%.*s", TB_STR_ARG(name),
                 (unsigned long long)seed, TB_STR_ARG(meaning), TB_STR_ARG(text));
    }
}

static void good_requests_are_understood_however_they_are_cut(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf file = TB_BUF(FILE_MAX);
    load("good.txt", &file);
    struct tb_str rest = tb_buf_str(&file);
    struct tb_str line;
    size_t cases = 0;
    while (next_line(&rest, &line)) {
        struct tb_str name = tb_str_cut(&line, '\t');
        TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(FILE_MAX);
        TB_AUTO(tb_buf_fini) struct tb_buf meaning = TB_BUF(FILE_MAX);
        unescape(tb_str_cut(&line, '\t'), &bytes);
        unescape(line, &meaning);
        for (uint64_t seed = 0; seed < RANDOM_CUTS; seed++) {
            check_understood(name, tb_buf_str(&bytes), tb_buf_str(&meaning), seed);
        }
        cases++;
    }
    print_message("%zu good requests\n", cases);
    assert_true(cases > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused_however_they_are_cut),
        cmocka_unit_test(good_requests_are_understood_however_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
