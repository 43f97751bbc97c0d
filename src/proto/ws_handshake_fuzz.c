/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "proto/http1.h"
#include "proto/ws_handshake.h"

/* The input is a request. If it is accepted, the answer must be one that a client with the same key
 * takes, and a client with another key refuses. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tb_http1_limits limits = {
    .line_max = 1024,
    .head_max = 4096,
    .header_count = 50,
    .body_max = 1024,
    .chunk_ext_max = 16,
};

static void check(bool good)
{
    if (!good) {
        abort();
    }
}

static void check_answer(const struct tb_http1_head *request, struct tb_str answer)
{
    char key[TB_WS_KEY_SIZE] = {0};
    struct tb_str value = tb_str_trim(tb_http1_header(request, "Sec-WebSocket-Key"));
    check(value.len == sizeof(key) - 1);
    memcpy(key, value.ptr, value.len);
    TB_AUTO(tb_http1_free) struct tb_http1 *client = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
    struct tb_str body;
    check(tb_http1_next(client, &answer, &body, NULL) == TB_HTTP1_HEAD);
    check(tb_ws_check_response(tb_http1_head(client), key, NULL) == 0);
    key[0] = key[0] == 'A' ? 'B' : 'A';
    check(tb_ws_check_response(tb_http1_head(client), key, NULL) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str input = {(const char *)data, size};
    struct tb_str body;
    TB_AUTO(tb_http1_free) struct tb_http1 *server = tb_http1_new(TB_HTTP1_REQUEST, &limits);
    if (tb_http1_next(server, &input, &body, NULL) != TB_HTTP1_HEAD) {
        return 0;
    }
    const struct tb_http1_head *head = tb_http1_head(server);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(8192);
    struct tb_str offered = tb_http1_header(head, "Sec-WebSocket-Protocol");
    struct tb_str first = tb_str_trim(tb_str_cut(&offered, ','));
    struct tb_err err;
    int rc = tb_ws_accept(head, first, &out, &err);
    check(rc < 0 ? out.len == 0 && err.code == rc : tb_ws_is_upgrade(head));
    if (rc == 0) {
        check_answer(head, tb_buf_str(&out));
    }
    return 0;
}
