/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_token.h"

#include <string.h>

#include <endian.h>

#include "base/utf8.h"

#define EACH_BYTE(value) (0x0101010101010101u * (uint64_t)(value))
#define HIGH_BITS        EACH_BYTE(0x80)

enum {
    /* Digits without an exponent overflow a double only from here on. */
    LONG_NUMBER = 309,
    LEAD_DIGITS = 20,
};

static bool fault(struct tb_json_token *token, size_t at, const char *wrong)
{
    *token = (struct tb_json_token){.len = at, .wrong = wrong};
    return false;
}

/* Marks bytes by their high bit: quotes, backslashes, controls. The lowest mark is always right;
 * one above it may be a borrow of the subtraction. */
static uint64_t special_bytes(uint64_t word)
{
    uint64_t quote = word ^ EACH_BYTE('"');
    uint64_t backslash = word ^ EACH_BYTE('\\');
    uint64_t marks = (quote - EACH_BYTE(1)) & ~quote;
    marks |= (backslash - EACH_BYTE(1)) & ~backslash;
    marks |= (word - EACH_BYTE(' ')) & ~word;
    return marks & HIGH_BITS;
}

/* How many bytes stand before the first quote, backslash or control. *seen collects the bytes, so
 * that only a string with a byte above ASCII pays for the check of its UTF-8. */
static size_t plain_run(const char *data, size_t len, uint64_t *seen)
{
    size_t at = 0;
    while (len - at >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, data + at, sizeof(word));
        *seen |= word;
        uint64_t marks = special_bytes(le64toh(word));
        if (marks) {
            return at + (size_t)__builtin_ctzll(marks) / 8;
        }
        at += sizeof(word);
    }
    for (; at < len; at++) {
        uint8_t c = (uint8_t)data[at];
        if (c == '"' || c == '\\' || c < ' ') {
            break;
        }
        *seen |= c;
    }
    return at;
}

static bool hex4(struct tb_str text, uint32_t *ret_value)
{
    if (text.len < 4) {
        return false;
    }
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint32_t)(c - '0');
        } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
            value = value << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        } else {
            return false;
        }
    }
    *ret_value = value;
    return true;
}

static size_t unicode_escape(struct tb_str text, uint32_t *ret_point)
{
    uint32_t point;
    uint32_t low;
    if (!hex4(tb_str_sub(text, 2, 6), &point)) {
        return 0;
    }
    *ret_point = point;
    if (point < 0xd800 || point > 0xdbff || text.len < 12 || text.ptr[6] != '\\' ||
        text.ptr[7] != 'u' || !hex4(tb_str_sub(text, 8, 12), &low) || low < 0xdc00 ||
        low > 0xdfff) {
        return 6;
    }
    *ret_point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

size_t tb_json_token_escape(struct tb_str text, uint32_t *ret_point)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (text.len < 2) {
        return 0;
    }
    if (text.ptr[1] == 'u') {
        return unicode_escape(text, ret_point);
    }
    const char *found = memchr(letters, text.ptr[1], sizeof(letters) - 1);
    if (!found) {
        return 0;
    }
    *ret_point = (uint32_t)values[found - letters];
    return 2;
}

/* The fault of an escape, NULL when there is none. */
static const char *check_escape(struct tb_str text, bool any_escape, size_t *ret_len)
{
    uint32_t point;
    *ret_len = tb_json_token_escape(text, &point);
    if (*ret_len == 0) {
        return "JSON has no such escape";
    }
    if (point == 0 && !any_escape) {
        return "\\u0000 would cut the string short for readers that end strings with NUL";
    }
    if (point >= 0xd800 && point <= 0xdfff && !any_escape) {
        return "half of a surrogate pair has no form in UTF-8";
    }
    return NULL;
}

bool tb_json_token_string(struct tb_str text, bool any_escape, struct tb_json_token *ret_token)
{
    uint64_t seen = 0;
    size_t at = 1;
    bool escaped = false;
    for (;;) {
        at += plain_run(text.ptr + at, text.len - at, &seen);
        if (at == text.len) {
            return fault(ret_token, at, "the text ends inside a string");
        }
        if (text.ptr[at] == '"') {
            break;
        }
        if (text.ptr[at] != '\\') {
            return fault(ret_token, at, "a control character in a string must be escaped");
        }
        size_t len;
        const char *wrong = check_escape(tb_str_sub(text, at, text.len), any_escape, &len);
        if (wrong) {
            return fault(ret_token, at, wrong);
        }
        escaped = true;
        at += len;
    }
    if (seen & HIGH_BITS) {
        size_t good = 1 + tb_utf8_prefix(tb_str_sub(text, 1, at));
        if (good < at) {
            return fault(ret_token, good, "the string is not UTF-8");
        }
    }
    *ret_token = (struct tb_json_token){.len = at + 1, .escaped = escaped};
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(struct tb_str text, size_t at)
{
    while (at < text.len && is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

static bool is_any(struct tb_str text, size_t at, char a, char b)
{
    return at < text.len && (text.ptr[at] == a || text.ptr[at] == b);
}

/* The exponent, cut off at a size that is beyond all doubles and safe to add to. */
static int64_t exponent(struct tb_str text)
{
    const int64_t enough = (int64_t)1 << 60;
    bool negative = is_any(text, 0, '-', '-');
    int64_t value = 0;
    for (size_t i = is_any(text, 0, '+', '-'); i < text.len; i++) {
        if (value < enough / 16) {
            value = value * 10 + (text.ptr[i] - '0');
        }
    }
    return negative ? -value : value;
}

/* Brings the number to the form 0.LEAD * 10^scale and compares that with the largest double. */
static bool overflows(struct tb_str number, size_t mantissa_len)
{
    /* From half a unit above DBL_MAX on, reading gives infinity; cut short, to the safe side. */
    static const char edge[] = "17976931348623158079";
    char lead[LEAD_DIGITS];
    memset(lead, '0', sizeof(lead));
    size_t significant = 0;
    int64_t scale = 0;
    bool fraction = false;
    for (size_t i = is_any(number, 0, '-', '-'); i < mantissa_len; i++) {
        char c = number.ptr[i];
        if (c == '.') {
            fraction = true;
        } else if (c == '0' && significant == 0) {
            scale -= fraction;
        } else {
            if (significant < LEAD_DIGITS) {
                lead[significant] = c;
            }
            significant++;
            scale += !fraction;
        }
    }
    if (significant == 0) {
        return false;
    }
    scale += exponent(tb_str_sub(number, mantissa_len + 1, number.len));
    return scale > LONG_NUMBER || (scale == LONG_NUMBER && memcmp(lead, edge, LEAD_DIGITS) >= 0);
}

bool tb_json_token_number(struct tb_str text, struct tb_json_token *ret_token)
{
    size_t from = is_any(text, 0, '-', '-');
    /* A zero in front stands alone: 01 ends after the zero, and the caller finds the 1 misplaced.
     */
    size_t at = is_any(text, from, '0', '0') ? from + 1 : skip_digits(text, from);
    if (at == from) {
        return fault(ret_token, at, "a number needs a digit here");
    }
    if (is_any(text, at, '.', '.')) {
        from = at + 1;
        at = skip_digits(text, from);
        if (at == from) {
            return fault(ret_token, at, "a digit must follow the decimal point");
        }
    }
    size_t mantissa_len = at;
    if (is_any(text, at, 'e', 'E')) {
        from = at + 1 + is_any(text, at + 1, '+', '-');
        at = skip_digits(text, from);
        if (at == from) {
            return fault(ret_token, at, "an exponent needs a digit");
        }
    }
    if ((at > mantissa_len || at >= LONG_NUMBER) &&
        overflows(tb_str_sub(text, 0, at), mantissa_len)) {
        return fault(ret_token, 0, "the number is too large for a double");
    }
    *ret_token = (struct tb_json_token){.len = at};
    return true;
}
