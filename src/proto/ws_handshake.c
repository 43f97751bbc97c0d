/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ws_handshake.h"

#include <string.h>

#include "base/hash.h"
#include "base/id.h"

enum {
    NONCE_BYTES = 16,
    KEY_LEN = TB_WS_KEY_SIZE - 1,
    ACCEPT_LEN = 28, /* base64 of a SHA-1 digest */
};

/* RFC 6455 section 1.3. */
static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

static bool header_lists(const struct tb_http1_head *head, const char *name, struct tb_str token)
{
    for (size_t i = 0; i < head->header_count; i++) {
        const struct tb_http1_header *header = &head->headers[i];
        if (tb_str_eq_nocase(header->name, tb_str_of(name)) &&
            tb_str_list_has(header->value, token)) {
            return true;
        }
    }
    return false;
}

/* Names of subprotocols are compared with their case (RFC 6455 section 4.1). */
static bool offers(const struct tb_http1_head *head, struct tb_str protocol)
{
    for (size_t i = 0; i < head->header_count; i++) {
        if (!tb_str_eq_nocase(head->headers[i].name, TB_STR("Sec-WebSocket-Protocol"))) {
            continue;
        }
        struct tb_str rest = head->headers[i].value;
        while (rest.ptr) {
            if (tb_str_eq(tb_str_trim(tb_str_cut(&rest, ',')), protocol)) {
                return true;
            }
        }
    }
    return false;
}

/* The header's value, or an empty slice unless it stands there exactly once. */
static struct tb_str single_header(const struct tb_http1_head *head, const char *name)
{
    return tb_http1_header_times(head, name) == 1 ? tb_str_trim(tb_http1_header(head, name))
                                                  : (struct tb_str){NULL, 0};
}

/* RFC 9110 section 5.6.2. */
static bool is_token(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c))) {
            return false;
        }
    }
    return text.len > 0;
}

static bool is_key(struct tb_str key)
{
    struct tb_buf nonce;
    tb_buf_init(&nonce, TB_WS_KEY_SIZE);
    bool good = key.ptr && key.len == KEY_LEN && tb_base64_decode(key, &nonce) == 0 &&
                nonce.len == NONCE_BYTES;
    tb_buf_fini(&nonce);
    return good;
}

static int append_accept(const char *key, struct tb_buf *out)
{
    char text[KEY_LEN + sizeof(guid) - 1];
    uint8_t digest[TB_SHA1_BYTES];
    memcpy(text, key, KEY_LEN);
    memcpy(text + KEY_LEN, guid, sizeof(guid) - 1);
    tb_sha1(text, sizeof(text), digest);
    return tb_base64_encode(digest, sizeof(digest), out);
}

bool tb_ws_is_upgrade(const struct tb_http1_head *head)
{
    return header_lists(head, "Upgrade", TB_STR("websocket"));
}

static int check_request(const struct tb_http1_head *head, struct tb_str *ret_key,
                         struct tb_err *err)
{
    if (!tb_str_eq_cstr(head->method, "GET") || head->minor < 1) {
        return tb_fail(err, TB_E_INVALID, "a WebSocket request must be a GET over HTTP/1.1");
    }
    if (tb_http1_has_body(head)) {
        return tb_fail(err, TB_E_INVALID, "a WebSocket request must not have a body");
    }
    if (!tb_ws_is_upgrade(head) || !header_lists(head, "Connection", TB_STR("upgrade"))) {
        return tb_fail(err, TB_E_INVALID,
                       "a WebSocket request needs Upgrade: websocket and Connection: Upgrade");
    }
    struct tb_str version = single_header(head, "Sec-WebSocket-Version");
    if (version.len == 0) {
        return tb_fail(err, TB_E_INVALID, "exactly one Sec-WebSocket-Version header is required");
    }
    if (!tb_str_eq_cstr(version, "13")) {
        return tb_fail(err, TB_E_UNSUPPORTED, "only version 13 of WebSocket is supported");
    }
    struct tb_str key = single_header(head, "Sec-WebSocket-Key");
    if (!is_key(key)) {
        return tb_fail(err, TB_E_INVALID,
                       "exactly one Sec-WebSocket-Key header is required, 16 bytes in base64");
    }
    *ret_key = key;
    return 0;
}

static int append_response(const char *key, struct tb_str protocol, struct tb_buf *out)
{
    int rc = tb_buf_append_cstr(out, "HTTP/1.1 101 Switching Protocols\r\n"
                                     "Upgrade: websocket\r\n"
                                     "Connection: Upgrade\r\n"
                                     "Sec-WebSocket-Accept: ");
    rc = rc < 0 ? rc : append_accept(key, out);
    if (rc == 0 && protocol.len > 0) {
        rc = tb_buf_printf(out, "\r\nSec-WebSocket-Protocol: %.*s", TB_STR_ARG(protocol));
    }
    return rc < 0 ? rc : tb_buf_append_cstr(out, "\r\n\r\n");
}

int tb_ws_accept(const struct tb_http1_head *head, struct tb_str protocol, struct tb_buf *out,
                 struct tb_err *err)
{
    struct tb_str key = {"", 0};
    int rc = check_request(head, &key, err);
    if (rc < 0) {
        return rc;
    }
    /* A client drops the connection over a subprotocol that it did not offer. */
    if (protocol.len > 0 && (!is_token(protocol) || !offers(head, protocol))) {
        return tb_fail(err, TB_E_INVALID, "the client did not offer this subprotocol");
    }
    size_t before = out->len;
    rc = append_response(key.ptr, protocol, out);
    if (rc < 0) {
        out->len = before;
        return tb_fail(err, rc, "no room for the handshake");
    }
    return 0;
}

/* Visible ASCII only: nothing that ends the line or the word. */
static bool is_word(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len > 0;
}

/* Whole lines, each ended by CRLF, none empty, no stray CR, LF or NUL. */
static bool are_header_lines(struct tb_str text)
{
    while (text.len > 0) {
        if (!memchr(text.ptr, '\n', text.len)) {
            return false;
        }
        struct tb_str line = tb_str_cut(&text, '\n');
        if (line.len < 2 || line.ptr[line.len - 1] != '\r' ||
            memchr(line.ptr, '\r', line.len - 1) || memchr(line.ptr, '\0', line.len)) {
            return false;
        }
    }
    return true;
}

int tb_ws_request(struct tb_str host, struct tb_str target, struct tb_str extra, struct tb_buf *out,
                  char ret_key[TB_WS_KEY_SIZE])
{
    if (!is_word(host) || !is_word(target) || target.ptr[0] != '/' || !are_header_lines(extra)) {
        return TB_E_INVALID;
    }
    uint8_t nonce[NONCE_BYTES];
    tb_random_bytes(nonce, sizeof(nonce));
    struct tb_buf key;
    tb_buf_init(&key, TB_WS_KEY_SIZE);
    int rc = tb_base64_encode(nonce, sizeof(nonce), &key);
    if (rc == 0) {
        rc = tb_buf_printf(out,
                           "GET %.*s HTTP/1.1\r\n"
                           "Host: %.*s\r\n"
                           "Upgrade: websocket\r\n"
                           "Connection: Upgrade\r\n"
                           "Sec-WebSocket-Key: %.*s\r\n"
                           "Sec-WebSocket-Version: 13\r\n"
                           "%.*s\r\n",
                           TB_STR_ARG(target), TB_STR_ARG(host), TB_STR_ARG(tb_buf_str(&key)),
                           (int)extra.len, extra.len ? extra.ptr : "");
    }
    if (rc == 0) {
        memcpy(ret_key, key.data, KEY_LEN);
        ret_key[KEY_LEN] = '\0';
    }
    tb_buf_fini(&key);
    return rc;
}

static bool accept_matches(struct tb_str accept, const char *key)
{
    struct tb_buf wanted;
    tb_buf_init(&wanted, ACCEPT_LEN + 1);
    bool same = append_accept(key, &wanted) == 0 && tb_str_eq(accept, tb_buf_str(&wanted));
    tb_buf_fini(&wanted);
    return same;
}

int tb_ws_check_response(const struct tb_http1_head *head, const char *key, struct tb_err *err)
{
    if (head->status != 101 || head->minor < 1) {
        return tb_fail(err, TB_E_PROTOCOL, "the server answered %d instead of opening a WebSocket",
                       head->status);
    }
    if (!tb_str_eq_nocase(single_header(head, "Upgrade"), TB_STR("websocket")) ||
        !header_lists(head, "Connection", TB_STR("upgrade"))) {
        return tb_fail(err, TB_E_PROTOCOL, "the server did not upgrade to WebSocket");
    }
    if (!accept_matches(single_header(head, "Sec-WebSocket-Accept"), key)) {
        return tb_fail(err, TB_E_PROTOCOL, "Sec-WebSocket-Accept does not match the key");
    }
    /* We offer no extension, so whatever stands here would change the meaning of the frames. */
    if (tb_http1_header_times(head, "Sec-WebSocket-Extensions") > 0) {
        return tb_fail(err, TB_E_PROTOCOL, "the server chose an extension that was not offered");
    }
    size_t protocols = tb_http1_header_times(head, "Sec-WebSocket-Protocol");
    if (protocols > 1 ||
        (protocols == 1 && !is_token(single_header(head, "Sec-WebSocket-Protocol")))) {
        return tb_fail(err, TB_E_PROTOCOL, "the server chose more than one subprotocol");
    }
    return 0;
}
