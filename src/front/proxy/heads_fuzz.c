/* SPDX-License-Identifier: Apache-2.0 */
/* What a browser or a server sends is passed on anew. The next parser must read there exactly what
 * was understood here: one message with the same line, the same end and the same body, and nothing
 * behind it. Anything else would be smuggling. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "front/proxy/heads.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    OUT_MAX = 4 << 20,
};

static const struct tb_http1_limits limits = {.line_max = TB_PROXY_LINE_MAX,
                                              .head_max = TB_PROXY_HEAD_MAX,
                                              .header_count = TB_PROXY_HEADER_COUNT,
                                              .body_max = UINT64_MAX,
                                              .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX};

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Reads one message, and what of it is a body; false if there is no whole one. */
static bool read_one(struct tb_http1 *parser, struct tb_str *input, bool no_body,
                     struct tb_buf *ret_body)
{
    struct tb_str body;
    int event = tb_http1_next(parser, input, &body, NULL);
    if (event != TB_HTTP1_HEAD) {
        return false;
    }
    if (no_body) {
        tb_http1_set_no_body(parser);
    }
    while ((event = tb_http1_next(parser, input, &body, NULL)) == TB_HTTP1_BODY) {
        tb_buf_append_str(ret_body, body);
    }
    return event == TB_HTTP1_END;
}

static void put_body(const struct tb_http1_head *head, const struct tb_buf *body,
                     struct tb_buf *out)
{
    if (body->len && head->chunked) {
        tb_buf_printf(out, "%zx\r\n", body->len);
    }
    tb_buf_append_str(out, tb_buf_str(body));
    if (body->len && head->chunked) {
        tb_buf_append_cstr(out, "\r\n");
    }
}

/* Parses what was written, and compares. */
static void expect_same(enum tb_http1_kind kind, const struct tb_http1_head *head,
                        const struct tb_buf *out, const struct tb_buf *body, bool no_body)
{
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(kind, &limits);
    TB_AUTO(tb_buf_fini) struct tb_buf again = TB_BUF(OUT_MAX);
    struct tb_str input = tb_buf_str(out);
    require(read_one(parser, &input, no_body, &again));
    const struct tb_http1_head *copy = tb_http1_head(parser);
    require(input.len == 0);
    require(tb_str_eq(tb_buf_str(&again), tb_buf_str(body)));
    require(tb_str_eq(copy->method, head->method) && copy->status == head->status);
    require(tb_str_eq(copy->path, head->path) || kind == TB_HTTP1_RESPONSE);
    require(tb_str_eq(copy->query, head->query));
    require(!tb_http1_header(copy, "Proxy-Authorization").ptr);
    require(!tb_http1_header(copy, "Proxy-Authenticate").ptr);
}

/* A proxy that the request is passed on to understands the same goal. */
static void expect_goal(const struct tb_http1_head *head, const struct tb_egress_goal *goal)
{
    static const struct tb_upstream via = {.kind = TB_UPSTREAM_HTTP};
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(OUT_MAX);
    struct tb_egress_goal again;
    struct tb_str body;
    tb_heads_put_request(head, goal, &via, head->upgrade, &out);
    struct tb_str input = tb_buf_str(&out);
    require(tb_http1_next(parser, &input, &body, NULL) == TB_HTTP1_HEAD);
    require(tb_heads_goal(tb_http1_head(parser), &again, NULL) == 0);
    require(again.schemes == goal->schemes && again.port == goal->port);
    require(tb_str_eq_cstr(tb_str_of(again.host.name), goal->host.name));
    require(tb_str_eq(tb_http1_head(parser)->query, head->query));
}

static void fuzz_request(struct tb_str input)
{
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(OUT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(OUT_MAX);
    struct tb_egress_goal goal;
    if (!read_one(parser, &input, false, &body)) {
        return;
    }
    const struct tb_http1_head *head = tb_http1_head(parser);
    if (!tb_heads_can_pass(head) || tb_heads_goal(head, &goal, NULL) < 0 ||
        head->form != TB_HTTP1_ABSOLUTE) {
        return;
    }
    tb_heads_put_request(head, &goal, NULL, head->upgrade, &out);
    put_body(head, &body, &out);
    tb_buf_append_str(&out, tb_heads_body_end(head));
    expect_same(TB_HTTP1_REQUEST, head, &out, &body, false);
    expect_goal(head, &goal);
}

static void fuzz_response(struct tb_str input, bool no_body)
{
    TB_AUTO(tb_http1_free) struct tb_http1 *parser = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(OUT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(OUT_MAX);
    if (!read_one(parser, &input, no_body, &body)) {
        return;
    }
    const struct tb_http1_head *head = tb_http1_head(parser);
    bool has_body = !no_body && head->status >= 200 && head->status != 204 && head->status != 304;
    tb_heads_put_response(head, true, has_body, &out);
    put_body(head, &body, &out);
    if (has_body) {
        tb_buf_append_str(&out, tb_heads_body_end(head));
    }
    expect_same(TB_HTTP1_RESPONSE, head, &out, &body, no_body);
}

/* The first byte chooses: a request, a response, or one to HEAD. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct tb_str input = {(const char *)data + 1, size - 1};
    if (data[0] % 3 == 0) {
        fuzz_request(input);
    } else {
        fuzz_response(input, data[0] % 3 == 2);
    }
    return 0;
}
