/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "proto/http1_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static struct tb_http1_trace run(struct tb_str bytes, bool no_body, uint64_t seed)
{
    struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_RESPONSE, &limits);
    trace.no_body = no_body;
    tb_http1_trace_feed(&trace, bytes, seed);
    tb_http1_trace_eof(&trace);
    /* Whatever was begun has ended, or the failure says that it has not. */
    require(trace.rc < 0 || trace.heads == trace.ends);
    require(trace.heads <= trace.ends + 1);
    return trace;
}

/* The first byte chooses whether the answers are to HEAD, and how the rest is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct tb_str bytes = {(const char *)data + 1, size - 1};
    bool no_body = data[0] & 1;
    TB_AUTO(tb_http1_trace_fini) struct tb_http1_trace whole = run(bytes, no_body, TB_HTTP1_WHOLE);
    const uint64_t seeds[] = {TB_HTTP1_BYTEWISE, 2 + (uint64_t)data[0] + size};
    for (size_t i = 0; i < TB_COUNT(seeds); i++) {
        TB_AUTO(tb_http1_trace_fini) struct tb_http1_trace cut = run(bytes, no_body, seeds[i]);
        require(whole.rc == cut.rc);
        require(tb_str_eq(tb_buf_str(&whole.text), tb_buf_str(&cut.text)));
    }
    return 0;
}
