/* SPDX-License-Identifier: Apache-2.0 */
#include "core/upstream.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum {
    SOCKS_PORT = 1080,
    HTTP_PORT = 3128,
};

static int refuse(struct tb_err *err)
{
    return tb_fail(err, TB_E_PARAMS,
                   "the proxy must be http://host:port or socks5://host:port, and user name and "
                   "password have at most 255 bytes each");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Of the user-info of an address, where "@" and ":" stand escaped. */
static bool copy_escaped(struct tb_str text, char *ret_text, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        int c = (unsigned char)text.ptr[i];
        if (c == '%' && i + 2 < text.len && hex_digit(text.ptr[i + 1]) >= 0 &&
            hex_digit(text.ptr[i + 2]) >= 0) {
            c = hex_digit(text.ptr[i + 1]) * 16 + hex_digit(text.ptr[i + 2]);
            i += 2;
        }
        if (!c || len + 1 >= size) {
            return false;
        }
        ret_text[len++] = (char)c;
    }
    ret_text[len] = '\0';
    return true;
}

static bool copy_plain(struct tb_str text, char *ret_text, size_t size)
{
    if (text.len >= size || memchr(text.ptr, '\0', text.len)) {
        return false;
    }
    memcpy(ret_text, text.ptr, text.len);
    ret_text[text.len] = '\0';
    return true;
}

static bool cut_kind(struct tb_str *rest, enum tb_upstream_kind *ret_kind, uint16_t *ret_port)
{
    static const struct {
        struct tb_str prefix;
        enum tb_upstream_kind kind;
        uint16_t port;
    } kinds[] = {
        {{"http://", 7}, TB_UPSTREAM_HTTP, HTTP_PORT},
        {{"socks5://", 9}, TB_UPSTREAM_SOCKS5, SOCKS_PORT},
        {{"socks5h://", 10}, TB_UPSTREAM_SOCKS5, SOCKS_PORT},
    };
    for (size_t i = 0; i < TB_COUNT(kinds); i++) {
        if (tb_str_eq_nocase(tb_str_sub(*rest, 0, kinds[i].prefix.len), kinds[i].prefix)) {
            *rest = tb_str_sub(*rest, kinds[i].prefix.len, rest->len);
            *ret_kind = kinds[i].kind;
            *ret_port = kinds[i].port;
            return true;
        }
    }
    return false;
}

/* "user:password@", up to the last @. */
static bool cut_user(struct tb_str *rest, struct tb_upstream *upstream)
{
    const char *at = memrchr(rest->ptr, '@', rest->len);
    if (!at) {
        return true;
    }
    struct tb_str password = {rest->ptr, (size_t)(at - rest->ptr)};
    *rest = tb_str_sub(*rest, password.len + 1, rest->len);
    struct tb_str user = tb_str_cut(&password, ':');
    return copy_escaped(user, upstream->user, sizeof(upstream->user)) &&
           copy_escaped(password, upstream->password, sizeof(upstream->password));
}

/* "host", "host:port", "[::1]:port", with a slash at the end or not. */
static bool read_host(struct tb_str text, struct tb_upstream *upstream)
{
    if (text.len && text.ptr[text.len - 1] == '/') {
        text.len--;
    }
    const char *colon = memrchr(text.ptr, ':', text.len);
    const char *bracket = memchr(text.ptr, ']', text.len);
    if (colon && (!bracket || colon > bracket)) {
        uint64_t port;
        size_t before = (size_t)(colon - text.ptr);
        if (!tb_str_to_u64(tb_str_sub(text, before + 1, text.len), &port) || !port ||
            port > UINT16_MAX) {
            return false;
        }
        upstream->port = (uint16_t)port;
        text.len = before;
    }
    return text.len && tb_host_read(text, &upstream->host, NULL) == 0;
}

int tb_upstream_read(struct tb_str text, struct tb_upstream *ret_upstream, struct tb_err *err)
{
    struct tb_upstream upstream = {0};
    if (!cut_kind(&text, &upstream.kind, &upstream.port) || !text.len ||
        !cut_user(&text, &upstream) || !text.len || !read_host(text, &upstream)) {
        return refuse(err);
    }
    *ret_upstream = upstream;
    return 0;
}

int tb_upstream_read_json(const struct cJSON *json, struct tb_upstream *ret_upstream,
                          struct tb_err *err)
{
    struct tb_upstream upstream;
    struct tb_str server = tb_json_text(json, "server");
    struct tb_str user = tb_json_text(json, "username");
    struct tb_str password = tb_json_text(json, "password");
    int rc = tb_upstream_read(server, &upstream, err);
    if (rc < 0) {
        return rc;
    }
    if ((user.len && !copy_plain(user, upstream.user, sizeof(upstream.user))) ||
        (password.len && !copy_plain(password, upstream.password, sizeof(upstream.password)))) {
        return refuse(err);
    }
    *ret_upstream = upstream;
    return 0;
}
