/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "proto/sse.h"

/* The input is a stream: however it is cut, the same events come of it. Each event is then written
 * and read again, and must be the same. The first byte chooses the sizes of the pieces. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    LOG_MAX = 64 << 20,
};

static const struct tb_sse_limits limits = {.line_max = 512, .data_max = 1024};
/* The writer puts a space behind the colon, which a line at its ceiling may not have had. */
static const struct tb_sse_limits roomy = {.line_max = 512 + 16, .data_max = 1024};

struct trace {
    struct tb_buf log;
    struct tb_buf written;
    int rc;
};

static void check(bool good)
{
    if (!good) {
        abort();
    }
}

static void on_event(struct tb_sse *sse, const struct tb_sse_message *message, void *user)
{
    struct trace *trace = user;
    check(tb_str_eq(tb_sse_last_id(sse), message->last_id));
    check(message->data.len <= limits.data_max && message->event.len > 0);
    check(!message->data.len || !memchr(message->data.ptr, '\r', message->data.len));
    check(tb_buf_printf(&trace->log, "%zu,%zu,%zu:", message->event.len, message->last_id.len,
                        message->data.len) == 0);
    check(tb_buf_append_str(&trace->log, message->event) == 0);
    check(tb_buf_append_str(&trace->log, message->last_id) == 0);
    check(tb_buf_append_str(&trace->log, message->data) == 0);
    struct tb_str id = message->last_id;
    const struct tb_sse_event event = {
        .event = message->event,
        .id = {id.len ? id.ptr : "", id.len},
        .data = message->data,
    };
    check(tb_sse_write(&trace->written, &event) == 0);
}

static void read_stream(struct trace *trace, const struct tb_sse_limits *ceilings,
                        struct tb_str bytes, size_t most)
{
    struct tb_sse *sse = tb_sse_new(ceilings, on_event, trace);
    tb_buf_init(&trace->log, LOG_MAX);
    tb_buf_init(&trace->written, LOG_MAX);
    trace->rc = 0;
    for (size_t at = 0; at < bytes.len && trace->rc == 0;) {
        size_t len = bytes.len - at < most ? bytes.len - at : most;
        trace->rc = tb_sse_feed(sse, tb_str_sub(bytes, at, at + len));
        at += len;
    }
    check(trace->rc == 0 || trace->rc == TB_E_TOO_LARGE);
    tb_sse_free(sse);
}

static void drop(struct trace *trace)
{
    tb_buf_fini(&trace->log);
    tb_buf_fini(&trace->written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    struct tb_str bytes = {(const char *)data + 1, size - 1};
    struct trace whole;
    struct trace cut;
    struct trace again;
    read_stream(&whole, &limits, bytes, SIZE_MAX);
    read_stream(&cut, &limits, bytes, data[0] % 32 + 1U);
    check(whole.rc == cut.rc && tb_str_eq(tb_buf_str(&whole.log), tb_buf_str(&cut.log)));
    read_stream(&again, &roomy, tb_buf_str(&whole.written), SIZE_MAX);
    check(again.rc == 0 && tb_str_eq(tb_buf_str(&whole.log), tb_buf_str(&again.log)));
    drop(&whole);
    drop(&cut);
    drop(&again);
    return 0;
}
