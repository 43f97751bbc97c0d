/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"

void tb_json_writer_init(struct tb_json_writer *writer, struct tb_buf *out)
{
    *writer = (struct tb_json_writer){.out = out};
}

static void put(struct tb_json_writer *writer, const char *data, size_t len)
{
    if (writer->rc == 0) {
        writer->rc = tb_buf_append(writer->out, data, len);
    }
}

static void begin_value(struct tb_json_writer *writer)
{
    if (writer->need_comma) {
        put(writer, ",", 1);
    }
    writer->need_comma = true;
}

static void open(struct tb_json_writer *writer, char bracket)
{
    begin_value(writer);
    put(writer, &bracket, 1);
    writer->need_comma = false;
}

static void close(struct tb_json_writer *writer, char bracket)
{
    put(writer, &bracket, 1);
    writer->need_comma = true;
}

void tb_json_object_open(struct tb_json_writer *writer)
{
    open(writer, '{');
}

void tb_json_object_close(struct tb_json_writer *writer)
{
    close(writer, '}');
}

void tb_json_array_open(struct tb_json_writer *writer)
{
    open(writer, '[');
}

void tb_json_array_close(struct tb_json_writer *writer)
{
    close(writer, ']');
}

static void put_escape(struct tb_json_writer *writer, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char *const named = "\b\f\n\r\t\"\\";
    static const char letters[] = "bfnrt\"\\";
    for (size_t i = 0; named[i]; i++) {
        if ((unsigned char)named[i] == c) {
            put(writer, (const char[]){'\\', letters[i]}, 2);
            return;
        }
    }
    put(writer, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
}

static bool is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

/* The same of eight bytes: the high bit of each byte that is none is set, and perhaps of some
 * behind the first such. */
static uint64_t odd_bytes(uint64_t word)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t quote = word ^ each * '"';
    uint64_t backslash = word ^ each * '\\';
    uint64_t odd = ((word - each * ' ') & ~word) | ((quote - each) & ~quote) |
                   ((backslash - each) & ~backslash) | word;
    return odd & each << 7;
}

/* How many bytes at the beginning stand for themselves in a string. */
static size_t plain_prefix(struct tb_str text)
{
    size_t at = 0;
    uint64_t word;
    for (; text.len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, text.ptr + at, sizeof(word));
        if (odd_bytes(word)) {
            break;
        }
    }
    while (at < text.len && is_plain((unsigned char)text.ptr[at])) {
        at++;
    }
    return at;
}

/* The beginning of a text that is not plain; how many bytes that was. What is no UTF-8 becomes the
 * sign for that. */
static size_t put_odd(struct tb_json_writer *writer, struct tb_str text)
{
    size_t beyond = 0; /* ASCII */
    while (beyond < text.len && (unsigned char)text.ptr[beyond] >= 0x80) {
        beyond++;
    }
    if (!beyond) {
        put_escape(writer, (unsigned char)text.ptr[0]);
        return 1;
    }
    size_t good = tb_utf8_prefix(tb_str_sub(text, 0, beyond));
    put(writer, text.ptr, good);
    if (good < beyond) {
        put(writer, "\xef\xbf\xbd", 3);
        good++;
    }
    return good;
}

/* Keys and most texts are plain; false, with nothing written, if it is not, or has no room. */
static bool put_plain(struct tb_json_writer *writer, struct tb_str text)
{
    uint8_t *room;
    if (writer->rc < 0 || plain_prefix(text) < text.len ||
        tb_buf_reserve(writer->out, text.len + 2, &room) < 0) {
        return false;
    }
    room[0] = '"';
    if (text.len) {
        memcpy(room + 1, text.ptr, text.len);
    }
    room[text.len + 1] = '"';
    writer->out->len += text.len + 2;
    return true;
}

static void put_text(struct tb_json_writer *writer, struct tb_str text)
{
    if (put_plain(writer, text)) {
        return;
    }
    put(writer, "\"", 1);
    while (text.len) {
        size_t plain = plain_prefix(text);
        put(writer, text.ptr, plain);
        text = tb_str_sub(text, plain, text.len);
        if (text.len) {
            text = tb_str_sub(text, put_odd(writer, text), text.len);
        }
    }
    put(writer, "\"", 1);
}

void tb_json_key(struct tb_json_writer *writer, const char *key)
{
    begin_value(writer);
    put_text(writer, tb_str_of(key));
    put(writer, ":", 1);
    writer->need_comma = false;
}

void tb_json_put_str(struct tb_json_writer *writer, struct tb_str text)
{
    begin_value(writer);
    put_text(writer, text);
}

void tb_json_put_cstr(struct tb_json_writer *writer, const char *text)
{
    if (text) {
        tb_json_put_str(writer, tb_str_of(text));
    } else {
        tb_json_put_null(writer);
    }
}

void tb_json_put_int(struct tb_json_writer *writer, int64_t value)
{
    char text[20]; /* of the longest, with its sign */
    size_t at = sizeof(text);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) {
        text[--at] = '-';
    }
    tb_json_put_raw(writer, (struct tb_str){text + at, sizeof(text) - at});
}

void tb_json_put_num(struct tb_json_writer *writer, double value)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    if (!isfinite(value)) {
        tb_json_put_null(writer);
        return;
    }
    if (fabs(value) < exact && value == trunc(value)) {
        tb_json_put_int(writer, (int64_t)value);
        return;
    }
    /* 15 digits are what people wrote; 17 are needed for the rest to come back the same. */
    char text[32];
    int len = snprintf(text, sizeof(text), "%.15g", value);
    if (strtod(text, NULL) != value) {
        len = snprintf(text, sizeof(text), "%.17g", value);
    }
    tb_json_put_raw(writer, (struct tb_str){text, (size_t)len});
}

void tb_json_put_bool(struct tb_json_writer *writer, bool value)
{
    tb_json_put_raw(writer, value ? TB_STR("true") : TB_STR("false"));
}

void tb_json_put_null(struct tb_json_writer *writer)
{
    tb_json_put_raw(writer, TB_STR("null"));
}

void tb_json_put_raw(struct tb_json_writer *writer, struct tb_str json)
{
    begin_value(writer);
    put(writer, json.ptr, json.len);
}

void tb_json_member_str(struct tb_json_writer *writer, const char *key, struct tb_str text)
{
    tb_json_key(writer, key);
    tb_json_put_str(writer, text);
}

void tb_json_member_cstr(struct tb_json_writer *writer, const char *key, const char *text)
{
    tb_json_key(writer, key);
    tb_json_put_cstr(writer, text);
}

void tb_json_member_int(struct tb_json_writer *writer, const char *key, int64_t value)
{
    tb_json_key(writer, key);
    tb_json_put_int(writer, value);
}

void tb_json_member_num(struct tb_json_writer *writer, const char *key, double value)
{
    tb_json_key(writer, key);
    tb_json_put_num(writer, value);
}

void tb_json_member_bool(struct tb_json_writer *writer, const char *key, bool value)
{
    tb_json_key(writer, key);
    tb_json_put_bool(writer, value);
}

void tb_json_member_raw(struct tb_json_writer *writer, const char *key, struct tb_str json)
{
    tb_json_key(writer, key);
    tb_json_put_raw(writer, json);
}

void tb_json_member_tree(struct tb_json_writer *writer, const char *key, const struct cJSON *json)
{
    tb_json_key(writer, key);
    tb_json_put_tree(writer, json);
}

void tb_json_member_time(struct tb_json_writer *writer, const char *key, int64_t wall_ms)
{
    char text[TB_CLOCK_ISO_SIZE];
    tb_clock_iso(wall_ms, text);
    tb_json_member_cstr(writer, key, wall_ms ? text : NULL);
}
