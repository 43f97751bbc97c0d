/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/authority.h"

#include <string.h>

#include "proto/ip.h"

enum {
    HOST_MAX = 255,
    PORT_DIGITS = 5,
};

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* RFC 3986 lets a registered name have percent escapes and punctuation. No name in DNS has them,
 * and they are how one host is made to look like another; only the underscore is met in practice.
 */
static bool name_valid(struct tb_str name)
{
    char before = '.'; /* so that a leading dot counts as an empty label */
    if (name.len == 0 || name.len > HOST_MAX) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '.' ? before == '.' : !is_alpha(c) && !is_digit(c) && c != '-' && c != '_') {
            return false;
        }
        before = c;
    }
    return true;
}

/* Zone ids and future address formats are refused: they mean something on the sender's machine
 * only. */
static bool ipv6_valid(struct tb_str text)
{
    struct tb_ip ip;
    return text.len && memchr(text.ptr, ':', text.len) && tb_ip_parse(text, &ip);
}

/* An empty port and leading zeros are in RFC 3986's grammar, but parsers differ on what they mean.
 * Nobody listens on 0. */
static bool parse_port(struct tb_str text, uint16_t *ret_port)
{
    uint64_t port;
    if (text.len > PORT_DIGITS || !tb_str_to_u64(text, &port) || port > UINT16_MAX ||
        text.ptr[0] == '0') {
        return false;
    }
    *ret_port = (uint16_t)port;
    return true;
}

bool tb_authority_parse(struct tb_str text, struct tb_authority *ret_authority)
{
    struct tb_authority result = {.ipv6 = text.len && text.ptr[0] == '['};
    struct tb_str rest = text;
    if (result.ipv6) {
        rest = tb_str_sub(text, 1, text.len);
        result.host = tb_str_cut(&rest, ']');
        if (!rest.ptr || !ipv6_valid(result.host) || (rest.len && rest.ptr[0] != ':')) {
            return false;
        }
        result.has_port = rest.len > 0;
        rest = tb_str_sub(rest, 1, rest.len);
    } else {
        result.host = tb_str_cut(&rest, ':');
        result.has_port = rest.ptr != NULL;
        if (!name_valid(result.host)) {
            return false;
        }
    }
    if (result.has_port && !parse_port(rest, &result.port)) {
        return false;
    }
    *ret_authority = result;
    return true;
}

bool tb_authority_parse_listen(struct tb_str text, struct tb_authority *ret_authority)
{
    struct tb_authority result;
    struct tb_str zero = TB_STR(":0");
    bool any_port =
        text.len > zero.len && tb_str_eq(tb_str_sub(text, text.len - zero.len, text.len), zero);
    if (any_port) {
        text.len -= zero.len;
    }
    if (!tb_authority_parse(text, &result) || result.has_port == any_port) {
        return false;
    }
    result.has_port = true;
    if (tb_str_eq_nocase(result.host, TB_STR("localhost"))) {
        result.host = TB_STR("127.0.0.1");
    }
    *ret_authority = result;
    return true;
}

bool tb_authority_is_any(const struct tb_authority *authority)
{
    return tb_str_eq_cstr(authority->host, "0.0.0.0") || tb_str_eq_cstr(authority->host, "::");
}

static bool scheme_valid(struct tb_str scheme)
{
    if (scheme.len == 0 || !is_alpha(scheme.ptr[0])) {
        return false;
    }
    for (size_t i = 1; i < scheme.len; i++) {
        char c = scheme.ptr[i];
        if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') {
            return false;
        }
    }
    return true;
}

bool tb_origin_parse(struct tb_str text, struct tb_str *ret_scheme,
                     struct tb_authority *ret_authority)
{
    struct tb_str rest = text;
    struct tb_str scheme = tb_str_cut(&rest, ':');
    if (!scheme_valid(scheme) || !tb_str_starts(rest, TB_STR("//")) ||
        !tb_authority_parse(tb_str_sub(rest, 2, rest.len), ret_authority)) {
        return false;
    }
    *ret_scheme = scheme;
    return true;
}
