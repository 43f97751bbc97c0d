/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/host.h"

#include <stdio.h>
#include <string.h>

#include <idn2.h>

#include "base/buf.h"
#include "base/quote.h"
#include "base/utf8.h"

enum {
    LABEL_MAX = 63,
    V4_PARTS = 4,
};

static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int refuse(struct tb_str text, const char *why, struct tb_err *err)
{
    struct tb_quoted shown;
    return tb_fail(err, TB_E_BAD_URL, "%s is not a host: %s", tb_quoted(&shown, text, 0), why);
}

/* A percent sign that begins no escape stays, and is refused later. */
static void unescape(struct tb_str text, struct tb_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        int high = text.ptr[i] == '%' && i + 2 < text.len ? digit(text.ptr[i + 1]) : -1;
        int low = high >= 0 ? digit(text.ptr[i + 2]) : -1;
        if (low >= 0) {
            tb_buf_append_char(out, (char)(high << 4 | low));
            i += 2;
        } else {
            tb_buf_append_char(out, text.ptr[i]);
        }
    }
}

static bool is_ascii(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

/* "Forbidden domain code points" of the URL standard. */
static bool is_forbidden(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr("#%/:<>?@[\\]^|", c);
}

static bool has_forbidden(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_forbidden(text.ptr[i])) {
            return true;
        }
    }
    return false;
}

/* Browsers take the capital sharp s for the small one (UTS 46 since Unicode 15.1), older libidn2
 * for "ss", which is another host. */
static void lower_sharp_s(char *text)
{
    static const char capital[] = "\xe1\xba\x9e";
    static const char small[] = "\xc3\x9f";
    for (char *at = text; (at = strstr(at, capital)) != NULL; at += strlen(small)) {
        memcpy(at, small, strlen(small));
        memmove(at + strlen(small), at + strlen(capital), strlen(at + strlen(capital)) + 1);
    }
}

/* Maps as browsers do (UTS 46, not transitional). NUL ends the text for libidn2, so it is refused
 * before. */
static int to_a_labels(struct tb_str text, struct tb_buf *out)
{
    TB_AUTO(tb_free) char *copy = tb_str_dup(text);
    char *ascii = NULL;
    lower_sharp_s(copy);
    if (memchr(text.ptr, '\0', text.len) || !tb_utf8_valid(text) ||
        idn2_to_ascii_8z(copy, &ascii, IDN2_NONTRANSITIONAL) != IDN2_OK) {
        return TB_E_BAD_URL;
    }
    int rc = tb_buf_append_cstr(out, ascii);
    idn2_free(ascii);
    return rc;
}

/* One part of an IPv4 address as browsers read it: 0x for hexadecimal, 0 for octal. */
static bool read_number(struct tb_str text, uint64_t *ret_value)
{
    int base = 10;
    if (text.len >= 2 && text.ptr[0] == '0') {
        base = (text.ptr[1] | 0x20) == 'x' ? 16 : 8;
        text = tb_str_sub(text, base == 16 ? 2 : 1, text.len);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        int d = digit(text.ptr[i]);
        if (d < 0 || d >= base) {
            return false;
        }
        value = value > UINT32_MAX ? value : value * (uint64_t)base + (uint64_t)d;
    }
    *ret_value = value;
    return true;
}

static bool is_all_digits(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static struct tb_str last_label(struct tb_str name)
{
    const char *dot = memrchr(name.ptr, '.', name.len);
    return dot ? tb_str_sub(name, (size_t)(dot - name.ptr) + 1, name.len) : name;
}

/* What ends so is an IPv4 address or no host at all, never a name. */
static bool ends_in_number(struct tb_str name)
{
    uint64_t ignored;
    struct tb_str last = last_label(name);
    return is_all_digits(last) || read_number(last, &ignored);
}

/* Up to four numbers; the last one fills all the bytes that are left. */
static bool read_v4(struct tb_str text, struct tb_ip *ret_ip)
{
    uint64_t address = 0;
    for (unsigned part = 0; part < V4_PARTS; part++) {
        uint64_t value;
        struct tb_str number = tb_str_cut(&text, '.');
        unsigned left = 8 * (V4_PARTS - part);
        if (!read_number(number, &value)) {
            return false;
        }
        if (!text.ptr) {
            *ret_ip = tb_ip_from_v4((uint32_t)(address << left | value));
            return value >> left == 0;
        }
        if (value > UINT8_MAX) {
            return false;
        }
        address = address << 8 | value;
    }
    return false;
}

/* Only what DNS could have: a label that is empty or too long is in no name. */
static bool has_good_labels(struct tb_str name)
{
    if (name.len == 0) {
        return false;
    }
    while (name.ptr) {
        size_t len = tb_str_cut(&name, '.').len;
        if (len == 0 || len > LABEL_MAX) {
            return false;
        }
    }
    return true;
}

static void set_name(struct tb_str name, struct tb_host *ret_host)
{
    *ret_host = (struct tb_host){0};
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        ret_host->name[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
}

void tb_host_from_ip(const struct tb_ip *ip, struct tb_host *ret_host)
{
    *ret_host = (struct tb_host){.is_ip = true, .ip = *ip};
    tb_ip_print(ip, ret_host->name);
}

static int read_v6(struct tb_str text, struct tb_host *ret_host, struct tb_err *err)
{
    struct tb_ip ip;
    struct tb_str inner = tb_str_sub(text, 1, text.len - 1);
    if (text.ptr[text.len - 1] != ']' || !memchr(text.ptr, ':', text.len) ||
        !tb_ip_parse(inner, &ip)) {
        return refuse(text, "brackets are for IPv6 addresses", err);
    }
    tb_host_from_ip(&ip, ret_host);
    return 0;
}

/* What all names and IPv4 addresses have been brought to: ASCII, without escapes. */
static int read_plain(struct tb_str given, struct tb_str plain, struct tb_host *ret_host,
                      struct tb_err *err)
{
    struct tb_ip ip;
    if (has_forbidden(plain)) {
        return refuse(given, "it has characters that a host cannot have", err);
    }
    if (plain.len && plain.ptr[plain.len - 1] == '.') {
        plain.len--;
    }
    if (!has_good_labels(plain) || plain.len >= TB_HOST_SIZE) {
        return refuse(given, "a part of it is empty or too long", err);
    }
    if (!ends_in_number(plain)) {
        set_name(plain, ret_host);
        return 0;
    }
    if (!read_v4(plain, &ip)) {
        return refuse(given, "it ends in a number, but is not an IPv4 address", err);
    }
    tb_host_from_ip(&ip, ret_host);
    return 0;
}

int tb_host_read(struct tb_str text, struct tb_host *ret_host, struct tb_err *err)
{
    if (text.len == 0 || text.len > TB_HOST_GIVEN_MAX) {
        return refuse(text, text.len ? "it is too long" : "it is empty", err);
    }
    if (text.ptr[0] == '[') {
        return read_v6(text, ret_host, err);
    }
    TB_AUTO(tb_buf_fini) struct tb_buf bare = TB_BUF(TB_HOST_GIVEN_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf ascii = TB_BUF(TB_HOST_GIVEN_MAX);
    struct tb_str plain = text;
    if (memchr(text.ptr, '%', text.len)) {
        unescape(text, &bare);
        plain = tb_buf_str(&bare);
    }
    if (!is_ascii(plain)) {
        if (to_a_labels(plain, &ascii) < 0) {
            return refuse(text, "it is not an international domain name", err);
        }
        plain = tb_buf_str(&ascii);
    }
    return read_plain(text, plain, ret_host, err);
}

bool tb_host_is_local_name(const struct tb_host *host)
{
    return !host->is_ip && tb_str_eq_cstr(last_label(tb_str_of(host->name)), "localhost");
}
