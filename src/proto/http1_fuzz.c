/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "proto/authority.h"
#include "proto/http1_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that a short input reaches them. */
static const struct tb_http1_limits limits = {
    .line_max = 100,
    .head_max = 300,
    .header_count = 8,
    .body_max = 64,
    .chunk_ext_max = 12,
};

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* How to cut is taken from the bytes themselves, so that the whole input stays HTTP. */
static uint64_t seed_of(struct tb_str bytes)
{
    uint64_t seed = 2 + bytes.len;
    for (size_t i = 0; i < bytes.len; i++) {
        seed = seed * 31 + (unsigned char)bytes.ptr[i];
    }
    return seed;
}

static void check_head(const struct tb_http1_head *head)
{
    require(!(head->chunked && head->has_length));
    require(head->header_count <= limits.header_count);
    require(head->target.len <= limits.line_max);
    require(head->minor == 0 || tb_http1_header_times(head, "host") == 1);
    require(tb_http1_header_times(head, "content-length") == (size_t)head->has_length);
    struct tb_authority authority;
    require(head->authority.len ? tb_authority_parse(head->authority, &authority)
                                : head->minor == 0);
    for (size_t i = 0; i < head->header_count; i++) {
        struct tb_str value = head->headers[i].value;
        require(head->headers[i].name.len > 0);
        for (size_t k = 0; k < value.len; k++) {
            require(value.ptr[k] != '\r' && value.ptr[k] != '\n' && value.ptr[k] != '\0');
        }
    }
}

static void check_heads(struct tb_str bytes)
{
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    struct tb_str body;
    uint64_t body_bytes = 0;
    int event;
    while ((event = tb_http1_next(parser, &bytes, &body, NULL)) > TB_HTTP1_MORE) {
        if (event == TB_HTTP1_HEAD) {
            check_head(tb_http1_head(parser));
            body_bytes = 0;
        } else if (event == TB_HTTP1_BODY) {
            body_bytes += body.len;
            require(body_bytes <= limits.body_max);
        } else {
            const struct tb_http1_head *head = tb_http1_head(parser);
            require(head->chunked || body_bytes == (head->has_length ? head->length : 0));
            tb_http1_release(parser);
        }
    }
    if (event < 0) {
        require(tb_http1_next(parser, &bytes, &body, NULL) == event);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str bytes = {(const char *)data, size};
    check_heads(bytes);

    TB_AUTO(tb_http1_trace_fini)
    struct tb_http1_trace whole = tb_http1_trace_of(TB_HTTP1_REQUEST, &limits);
    tb_http1_trace_feed(&whole, bytes, TB_HTTP1_WHOLE);
    tb_http1_trace_eof(&whole);
    const uint64_t seeds[] = {TB_HTTP1_BYTEWISE, seed_of(bytes)};
    for (size_t i = 0; i < TB_COUNT(seeds); i++) {
        TB_AUTO(tb_http1_trace_fini)
        struct tb_http1_trace cut = tb_http1_trace_of(TB_HTTP1_REQUEST, &limits);
        tb_http1_trace_feed(&cut, bytes, seeds[i]);
        tb_http1_trace_eof(&cut);
        require(whole.rc == cut.rc);
        require(tb_str_eq(tb_buf_str(&whole.text), tb_buf_str(&cut.text)));
    }
    return 0;
}
