/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/handshake.h"

#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "front/proxy/heads.h"
#include "proto/http1.h"

enum {
    SOCKS_VERSION = 5,
    SOCKS_NO_AUTH = 0,
    SOCKS_PASSWORD = 2,
    SOCKS_CONNECT = 1,
    SOCKS_IPV4 = 1,
    SOCKS_NAME = 3,
    SOCKS_IPV6 = 4,
    SOCKS_REPLY_MAX = 4 + 1 + 255 + 2,
    REQUEST_MAX = 2048,
};

/* HTTP is one step; SOCKS5 goes METHOD -> (PASSWORD ->) CONNECT. */
enum step {
    HTTP,
    METHOD,
    PASSWORD,
    CONNECT,
};

struct tb_handshake {
    struct tb_stream *stream;
    const struct tb_upstream *upstream;
    struct tb_egress_goal goal;
    tb_handshake_fn *fn;
    void *user;
    enum step step;
    struct tb_http1 *parser;
    struct tb_buf got; /* of the answer of one step of SOCKS5 */
};

static void end(struct tb_handshake *handshake, int code, const char *words)
{
    struct tb_err err = {0};
    if (code < 0) {
        tb_fail(&err, code, "the upstream proxy %s", words);
    }
    tb_stream_pause(handshake->stream);
    handshake->fn(code, &err, handshake->user);
}

static void send(struct tb_handshake *handshake, const struct tb_buf *bytes)
{
    tb_stream_write(handshake->stream, tb_buf_str(bytes));
}

static bool has_credentials(const struct tb_upstream *upstream)
{
    return upstream->user[0] || upstream->password[0];
}

/* HTTP. */

static void ask_http(struct tb_handshake *handshake)
{
    static const struct tb_http1_limits limits = {.line_max = TB_HTTP_LINE_MAX,
                                                  .head_max = TB_HTTP_HEAD_MAX,
                                                  .header_count = TB_HTTP_HEADER_COUNT};
    const struct tb_egress_goal *goal = &handshake->goal;
    TB_AUTO(tb_buf_wipe) struct tb_buf out = TB_BUF(REQUEST_MAX);
    char where[TB_HOST_SIZE + 16];
    bool is_v6 = goal->host.is_ip && !tb_ip_is_v4(&goal->host.ip);
    snprintf(where, sizeof(where), "%s%s%s:%u", is_v6 ? "[" : "", goal->host.name, is_v6 ? "]" : "",
             goal->port);
    tb_buf_printf(&out, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", where, where);
    tb_heads_put_credentials(handshake->upstream, &out);
    tb_buf_append_cstr(&out, "\r\n");
    handshake->step = HTTP;
    handshake->parser = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
    send(handshake, &out);
}

/* What the host says first may come in one piece with the answer only if it speaks without being
 * asked: none of what browsers speak does. */
static void take_http(struct tb_handshake *handshake, struct tb_str bytes)
{
    struct tb_str body;
    struct tb_err err;
    int event = tb_http1_next(handshake->parser, &bytes, &body, &err);
    if (event == TB_HTTP1_MORE) {
        return;
    }
    const struct tb_http1_head *head = event < 0 ? NULL : tb_http1_head(handshake->parser);
    char words[64];
    if (!head) {
        end(handshake, TB_E_NAVIGATION, "does not speak HTTP");
    } else if (head->status < 200 || head->status > 299 || bytes.len) {
        snprintf(words, sizeof(words), "answered %d", head->status);
        end(handshake, TB_E_NAVIGATION, words);
    } else {
        end(handshake, 0, NULL);
    }
}

/* SOCKS5. */

static void ask_method(struct tb_handshake *handshake)
{
    uint8_t method = has_credentials(handshake->upstream) ? SOCKS_PASSWORD : SOCKS_NO_AUTH;
    const uint8_t hello[] = {SOCKS_VERSION, 1, method};
    handshake->step = METHOD;
    tb_stream_write(handshake->stream, (struct tb_str){(const char *)hello, sizeof(hello)});
}

static void put_short(struct tb_buf *out, struct tb_str text)
{
    tb_buf_append_char(out, (char)text.len);
    tb_buf_append_str(out, text);
}

static void ask_password(struct tb_handshake *handshake)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf out = TB_BUF(REQUEST_MAX);
    handshake->step = PASSWORD;
    tb_buf_append_char(&out, 1); /* the version of RFC 1929 */
    put_short(&out, tb_str_of(handshake->upstream->user));
    put_short(&out, tb_str_of(handshake->upstream->password));
    send(handshake, &out);
}

static void put_goal(const struct tb_egress_goal *goal, struct tb_buf *out)
{
    const struct tb_ip *ip = &goal->host.ip;
    size_t skip = TB_IP_V4_BITS / 8;
    if (!goal->host.is_ip) {
        tb_buf_append_char(out, SOCKS_NAME);
        put_short(out, tb_str_of(goal->host.name));
    } else if (tb_ip_is_v4(ip)) {
        tb_buf_append_char(out, SOCKS_IPV4);
        tb_buf_append(out, ip->bytes + skip, sizeof(ip->bytes) - skip);
    } else {
        tb_buf_append_char(out, SOCKS_IPV6);
        tb_buf_append(out, ip->bytes, sizeof(ip->bytes));
    }
    tb_buf_append_char(out, (char)(goal->port >> 8));
    tb_buf_append_char(out, (char)(goal->port & 0xff));
}

static void ask_connect(struct tb_handshake *handshake)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(REQUEST_MAX);
    static const uint8_t start[] = {SOCKS_VERSION, SOCKS_CONNECT, 0};
    handshake->step = CONNECT;
    tb_buf_append(&out, start, sizeof(start));
    put_goal(&handshake->goal, &out);
    send(handshake, &out);
}

/* How long the answer of this step is, as far as can be told by now. */
static size_t answer_len(const struct tb_handshake *handshake)
{
    const uint8_t *got = handshake->got.data;
    if (handshake->step != CONNECT) {
        return 2;
    }
    if (handshake->got.len < 5) {
        return 5;
    }
    size_t address = got[3] == SOCKS_IPV4 ? 4U : got[3] == SOCKS_IPV6 ? 16U : 1U + got[4];
    return 4 + address + 2;
}

static void take_method(struct tb_handshake *handshake, uint8_t method)
{
    if (method == SOCKS_NO_AUTH) {
        ask_connect(handshake);
    } else if (method == SOCKS_PASSWORD && has_credentials(handshake->upstream)) {
        ask_password(handshake);
    } else {
        end(handshake, TB_E_NAVIGATION, "accepted none of the ways to log in that tabard offered");
    }
}

static void take_step(struct tb_handshake *handshake, const uint8_t got[2])
{
    char words[64];
    if (handshake->step == PASSWORD && got[1] == 0) {
        ask_connect(handshake);
    } else if (handshake->step == PASSWORD) {
        end(handshake, TB_E_NAVIGATION, "refused the user name or password");
    } else if (got[0] != SOCKS_VERSION) {
        end(handshake, TB_E_NAVIGATION, "does not speak SOCKS5");
    } else if (handshake->step == METHOD) {
        take_method(handshake, got[1]);
    } else if (got[1] == 0) {
        end(handshake, 0, NULL);
    } else {
        snprintf(words, sizeof(words), "answered SOCKS error %u", got[1]);
        end(handshake, TB_E_NAVIGATION, words);
    }
}

static void take_socks(struct tb_handshake *handshake, struct tb_str bytes)
{
    uint8_t answer[2];
    if (tb_buf_append_str(&handshake->got, bytes) < 0) {
        end(handshake, TB_E_NAVIGATION, "sent more than its protocol allows");
        return;
    }
    size_t len = answer_len(handshake);
    if (handshake->got.len < len) {
        return;
    }
    if (handshake->got.len > len) { /* nothing was asked yet that this could answer */
        end(handshake, TB_E_NAVIGATION, "sent more than its protocol allows");
        return;
    }
    memcpy(answer, handshake->got.data, sizeof(answer));
    tb_buf_clear(&handshake->got);
    take_step(handshake, answer);
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct tb_handshake *handshake = user;
    (void)stream;
    if (handshake->step == HTTP) {
        take_http(handshake, bytes);
    } else {
        take_socks(handshake, bytes);
    }
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    end(user, TB_E_NAVIGATION, "closed the connection");
}

struct tb_handshake *tb_handshake_start(struct tb_stream *stream,
                                        const struct tb_upstream *upstream,
                                        const struct tb_egress_goal *goal, tb_handshake_fn *fn,
                                        void *user)
{
    static const struct tb_stream_ops ops = {on_read, NULL, on_end};
    struct tb_handshake *handshake = TB_NEW(struct tb_handshake);
    handshake->stream = stream;
    handshake->upstream = upstream;
    handshake->goal = *goal;
    handshake->fn = fn;
    handshake->user = user;
    tb_buf_init(&handshake->got, SOCKS_REPLY_MAX);
    tb_stream_start(stream, &ops, handshake);
    if (upstream->kind == TB_UPSTREAM_HTTP) {
        ask_http(handshake);
    } else {
        ask_method(handshake);
    }
    return handshake;
}

void tb_handshake_free(struct tb_handshake *handshake)
{
    if (handshake) {
        tb_http1_free(handshake->parser);
        tb_buf_fini(&handshake->got);
        tb_free(handshake);
    }
}
