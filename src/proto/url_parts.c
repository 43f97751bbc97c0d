/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/url_parts.h"

#include <string.h>

#include "base/mem.h"
#include "base/quote.h"

enum {
    AUTHORITY_MAX = TB_HOST_GIVEN_MAX + 16, /* and a port */
    PORT_DIGITS = 5,
};

static const struct {
    const char *name;
    enum tb_scheme scheme;
    uint16_t port;
} schemes[] = {
    {"http", TB_SCHEME_HTTP, 80},  {"https", TB_SCHEME_HTTPS, 443}, {"ws", TB_SCHEME_HTTP, 80},
    {"wss", TB_SCHEME_HTTPS, 443}, {"about", TB_SCHEME_ABOUT, 0},   {"data", TB_SCHEME_DATA, 0},
    {"blob", TB_SCHEME_BLOB, 0},
};

enum tb_scheme tb_scheme_of(struct tb_str name, uint16_t *ret_port)
{
    for (size_t i = 0; i < TB_COUNT(schemes); i++) {
        if (tb_str_eq_cstr(name, schemes[i].name)) {
            *ret_port = schemes[i].port;
            return schemes[i].scheme;
        }
    }
    *ret_port = 0;
    return TB_SCHEME_OTHER;
}

static int refuse(struct tb_str url, const char *why, struct tb_err *err)
{
    struct tb_quoted shown;
    return tb_fail(err, TB_E_BAD_URL, "%s %s", tb_quoted(&shown, url, 0), why);
}

/* The next character as the standard sees it, -1 at the end: tabs and line ends are not there. */
static int next(struct tb_str *rest)
{
    while (rest->len) {
        char c = rest->ptr[0];
        *rest = tb_str_sub(*rest, 1, rest->len);
        if (c != '\t' && c != '\n' && c != '\r') {
            return (unsigned char)c;
        }
    }
    return -1;
}

static struct tb_str strip(struct tb_str url)
{
    while (url.len && (unsigned char)url.ptr[0] <= ' ') {
        url = tb_str_sub(url, 1, url.len);
    }
    while (url.len && (unsigned char)url.ptr[url.len - 1] <= ' ') {
        url.len--;
    }
    return url;
}

static bool is_scheme_char(int c, bool first)
{
    bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return alpha || (!first && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'));
}

static bool read_scheme(struct tb_str *rest, struct tb_url_parts *parts)
{
    size_t len = 0;
    int c;
    while (is_scheme_char(c = next(rest), len == 0)) {
        if (len < sizeof(parts->scheme_name) - 1) {
            parts->scheme_name[len] = (char)(c <= 'Z' && c >= 'A' ? c | 0x20 : c);
        }
        len++;
    }
    parts->scheme = tb_scheme_of(tb_str_of(parts->scheme_name), &parts->port);
    return c == ':' && len > 0;
}

/* What stands between the slashes and the path, behind the last @. */
static int read_authority(struct tb_str *rest, char *text, size_t *ret_len)
{
    size_t len = 0;
    int c = next(rest);
    while (c == '/' || c == '\\') {
        c = next(rest);
    }
    for (; c >= 0 && c != '/' && c != '\\' && c != '?' && c != '#'; c = next(rest)) {
        if (c == '@') {
            len = 0;
        } else {
            text[len < AUTHORITY_MAX ? len : AUTHORITY_MAX] = (char)c;
            len++;
        }
    }
    *ret_len = len;
    return len > AUTHORITY_MAX ? TB_E_BAD_URL : 0;
}

/* Where the host ends: at the first colon outside brackets. */
static size_t host_len(struct tb_str authority)
{
    bool inside = false;
    for (size_t i = 0; i < authority.len; i++) {
        char c = authority.ptr[i];
        if (c == ':' && !inside) {
            return i;
        }
        inside = c == '[' || (inside && c != ']');
    }
    return authority.len;
}

/* An empty port is the usual one. */
static bool read_port(struct tb_str text, uint16_t *port)
{
    uint64_t number = *port;
    while (text.len > 1 && text.ptr[0] == '0') {
        text = tb_str_sub(text, 1, text.len);
    }
    if (text.len && (text.len > PORT_DIGITS || !tb_str_to_u64(text, &number))) {
        return false;
    }
    *port = (uint16_t)number;
    return number <= UINT16_MAX;
}

static int read_server(struct tb_str url, struct tb_str rest, struct tb_url_parts *parts,
                       struct tb_err *err)
{
    char text[AUTHORITY_MAX + 1];
    size_t len;
    if (read_authority(&rest, text, &len) < 0) {
        return refuse(url, "has a host that is too long", err);
    }
    struct tb_str authority = {text, len};
    size_t end = host_len(authority);
    if (!read_port(tb_str_sub(authority, end + 1, len), &parts->port)) {
        return refuse(url, "has a port that is not a number up to 65535", err);
    }
    return tb_host_read(tb_str_sub(authority, 0, end), &parts->host, err);
}

int tb_url_parts_read(struct tb_str url, struct tb_url_parts *ret_parts, struct tb_err *err)
{
    struct tb_url_parts parts = {0};
    struct tb_str rest = strip(url);
    if (!read_scheme(&rest, &parts)) {
        return refuse(url, "is not a full address", err);
    }
    if (parts.scheme == TB_SCHEME_HTTP || parts.scheme == TB_SCHEME_HTTPS) {
        int rc = read_server(url, rest, &parts, err);
        if (rc < 0) {
            return rc;
        }
    }
    *ret_parts = parts;
    return 0;
}
