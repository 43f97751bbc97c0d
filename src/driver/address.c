/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/address.h"

#include <string.h>

enum {
    SHOWN_MAX = 120,
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* As the URL standard has it: C0 controls and blanks at both ends, tabs and line ends anywhere. */
static void strip(struct tb_str given, struct tb_buf *out)
{
    while (given.len && (unsigned char)given.ptr[0] <= ' ') {
        given = tb_str_sub(given, 1, given.len);
    }
    while (given.len && (unsigned char)given.ptr[given.len - 1] <= ' ') {
        given.len--;
    }
    for (size_t i = 0; i < given.len; i++) {
        char c = given.ptr[i];
        if (c != '\t' && c != '\n' && c != '\r') {
            tb_buf_append_char(out, c);
        }
    }
}

static bool is_scheme_char(char c, bool first)
{
    return is_alpha(c) || (!first && (is_digit(c) || c == '+' || c == '-' || c == '.'));
}

/* What stands before the first colon, if it has the form of a scheme; else empty. */
static struct tb_str scheme_of(struct tb_str url)
{
    size_t len = 0;
    while (len < url.len && is_scheme_char(url.ptr[len], len == 0)) {
        len++;
    }
    bool ends = len && len < url.len && url.ptr[len] == ':';
    return ends ? tb_str_sub(url, 0, len) : (struct tb_str){NULL, 0};
}

static bool ends_host(char c)
{
    return c == '/' || c == '?' || c == '#' || c == '\\';
}

/* True when digits follow up to the end of the authority. */
static bool is_port(struct tb_str rest)
{
    size_t len = 0;
    while (len < rest.len && is_digit(rest.ptr[len])) {
        len++;
    }
    return len > 0 && len <= 5 && (len == rest.len || ends_host(rest.ptr[len]));
}

static bool is_ipv4(struct tb_str host)
{
    int dots = 0;
    for (size_t i = 0; i < host.len; i++) {
        dots += host.ptr[i] == '.';
        if (!is_digit(host.ptr[i]) && host.ptr[i] != '.') {
            return false;
        }
    }
    return dots == 3;
}

static bool is_local_name(struct tb_str host)
{
    static const struct tb_str local = {"localhost", 9};
    if (host.len > local.len) {
        size_t at = host.len - local.len;
        return host.ptr[at - 1] == '.' && tb_str_eq_nocase(tb_str_sub(host, at, host.len), local);
    }
    return tb_str_eq_nocase(host, local);
}

static bool is_host_char(char c)
{
    return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* "example.com:8080/x", "localhost", "[::1]:80": the scheme to put before it; NULL: no host. */
static const char *scheme_for(struct tb_str url)
{
    size_t len = 0;
    if (url.len && url.ptr[0] == '[') {
        const char *end = memchr(url.ptr, ']', url.len);
        len = end ? (size_t)(end - url.ptr) + 1 : 0;
    } else {
        while (len < url.len && is_host_char(url.ptr[len])) {
            len++;
        }
    }
    struct tb_str host = tb_str_sub(url, 0, len);
    struct tb_str rest = tb_str_sub(url, len, url.len);
    bool port = rest.len && rest.ptr[0] == ':' && is_port(tb_str_sub(rest, 1, rest.len));
    if (!host.len || (rest.len && !ends_host(rest.ptr[0]) && !port)) {
        return NULL;
    }
    if (host.ptr[0] == '[' || is_ipv4(host) || is_local_name(host)) {
        return "http://";
    }
    return memchr(host.ptr, '.', host.len) && host.ptr[0] != '.' ? "https://" : NULL;
}

static bool has_host(struct tb_str after_colon)
{
    while (after_colon.len && (after_colon.ptr[0] == '/' || after_colon.ptr[0] == '\\')) {
        after_colon = tb_str_sub(after_colon, 1, after_colon.len);
    }
    return after_colon.len && after_colon.ptr[0] != '?' && after_colon.ptr[0] != '#';
}

static bool is_blank_page(struct tb_str url)
{
    struct tb_str blank = TB_STR("about:blank");
    return tb_str_eq_nocase(tb_str_sub(url, 0, blank.len), blank) &&
           (url.len == blank.len || url.ptr[blank.len] == '#' || url.ptr[blank.len] == '?');
}

static bool is_allowed(struct tb_str url, struct tb_str scheme, bool data_urls)
{
    struct tb_str rest = tb_str_sub(url, scheme.len + 1, url.len);
    if (tb_str_eq_nocase(scheme, TB_STR("http")) || tb_str_eq_nocase(scheme, TB_STR("https"))) {
        return has_host(rest);
    }
    return is_blank_page(url) || (data_urls && tb_str_eq_nocase(scheme, TB_STR("data")));
}

static int refuse(struct tb_str url, struct tb_str scheme, struct tb_err *err)
{
    struct tb_str shown = tb_str_sub(url, 0, SHOWN_MAX);
    if (!url.len) {
        return tb_fail(err, TB_E_BAD_URL, "the address is empty");
    }
    if (scheme.len && !tb_str_eq_nocase(scheme, TB_STR("http")) &&
        !tb_str_eq_nocase(scheme, TB_STR("https"))) {
        return tb_fail(err, TB_E_BAD_URL,
                       "\"%.*s:\" addresses are not allowed, only http, https and about:blank",
                       TB_STR_ARG(tb_str_sub(scheme, 0, SHOWN_MAX)));
    }
    return tb_fail(err, TB_E_BAD_URL, "\"%.*s\" is not a full address", TB_STR_ARG(shown));
}

int tb_address_make(struct tb_str given, bool data_urls, struct tb_buf *out, struct tb_err *err)
{
    if (given.len > TB_ADDRESS_MAX) {
        return tb_fail(err, TB_E_BAD_URL, "the address has %zu bytes, more than %d", given.len,
                       TB_ADDRESS_MAX);
    }
    TB_AUTO(tb_buf_fini) struct tb_buf clean = TB_BUF(TB_ADDRESS_MAX);
    strip(given, &clean);
    struct tb_str url = tb_buf_str(&clean);
    struct tb_str scheme = scheme_of(url);
    const char *added = "";
    if (!scheme.len || !is_allowed(url, scheme, data_urls)) {
        if (tb_str_starts(url, TB_STR("//"))) {
            url = tb_str_sub(url, 2, url.len);
        }
        added = scheme_for(url);
    }
    if (!added) {
        return refuse(url, scheme, err);
    }
    int rc = tb_buf_append_cstr(out, added);
    return rc < 0 ? rc : tb_buf_append_str(out, url);
}

bool tb_address_is_inner(struct tb_str url)
{
    static const char *const inner[] = {"chrome", "chrome-untrusted", "devtools", "file",
                                        "view-source"};
    struct tb_str scheme = scheme_of(url);
    for (size_t i = 0; i < TB_COUNT(inner); i++) {
        if (tb_str_eq_nocase(scheme, tb_str_of(inner[i]))) {
            return true;
        }
    }
    return false;
}
