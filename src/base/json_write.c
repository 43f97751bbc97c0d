/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool needs_escape(unsigned char c)
{
    return c < ' ' || c == '"' || c == '\\';
}

/* Valid text; runs of plain bytes are copied at once. */
static void put_escaped(struct tb_json_writer *writer, struct tb_str text)
{
    size_t start = 0;
    for (size_t at = 0; at < text.len; at++) {
        if (needs_escape((unsigned char)text.ptr[at])) {
            put(writer, text.ptr + start, at - start);
            put_escape(writer, (unsigned char)text.ptr[at]);
            start = at + 1;
        }
    }
    put(writer, text.ptr + start, text.len - start);
}

/* Most text is plain ASCII and is copied as it is looked at; false, with nothing written, if it is
 * not, or has no room. */
static bool put_plain(struct tb_json_writer *writer, struct tb_str text)
{
    uint8_t *room;
    if (writer->rc < 0 || tb_buf_reserve(writer->out, text.len + 2, &room) < 0) {
        return false;
    }
    *room++ = '"';
    for (size_t at = 0; at < text.len; at++) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c >= 0x80 || needs_escape(c)) {
            return false;
        }
        *room++ = c;
    }
    *room = '"';
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
        size_t good = tb_utf8_prefix(text);
        put_escaped(writer, tb_str_sub(text, 0, good));
        if (good < text.len) {
            put(writer, "\xef\xbf\xbd", 3);
            good++;
        }
        text = tb_str_sub(text, good, text.len);
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
