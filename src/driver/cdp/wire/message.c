/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/quote.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

enum {
    ESCAPE_LEN = 6, /* \uXXXX */
    ERROR_WORDS_MAX = 64 * 1024,
};

enum {
    WANT_ID,
    WANT_METHOD,
    WANT_SESSION,
    WANT_PARAMS,
    WANT_RESULT,
    WANT_ERROR,
    WANT_COUNT,
};

static const struct tb_json_want envelope[WANT_COUNT] = {
    [WANT_ID] = {.key = "id"},
    [WANT_METHOD] = {.key = "method"},
    [WANT_SESSION] = {.key = "sessionId"},
    [WANT_PARAMS] = {.key = "params"},
    [WANT_RESULT] = {.key = "result"},
    [WANT_ERROR] = {.key = "error"},
};

/* The value of the escape at `text`, -1 if there is none. */
static long escape_value(const char *text, const char *end)
{
    char digits[5] = {0};
    if (end - text < ESCAPE_LEN || text[0] != '\\' || text[1] != 'u') {
        return -1;
    }
    memcpy(digits, text + 2, 4);
    return strtol(digits, NULL, 16);
}

static bool is_high(long value)
{
    return value >= 0xd800 && value <= 0xdbff;
}

static bool is_low(long value)
{
    return value >= 0xdc00 && value <= 0xdfff;
}

/* Writes \ufffd over what strict readers refuse; it has the same length, so nothing moves. */
static void repair(char *text, size_t len)
{
    char *end = text + len;
    char *at = memchr(text, '\\', len);
    while (at && end - at >= 2) {
        long value = escape_value(at, end);
        if (value < 0) {
            at += 2; /* another escape, or \\ */
        } else if (is_high(value) && is_low(escape_value(at + ESCAPE_LEN, end))) {
            at += ESCAPE_LEN + ESCAPE_LEN;
        } else {
            if (value == 0 || is_high(value) || is_low(value)) {
                memcpy(at, "\\ufffd", ESCAPE_LEN);
            }
            at += ESCAPE_LEN;
        }
        at = at < end ? memchr(at, '\\', (size_t)(end - at)) : NULL;
    }
}

static int scan(struct tb_str text, struct tb_json_want *wants, struct tb_err *err)
{
    static const struct tb_json_limits strict = {.depth_max = TB_JSON_DEPTH_MAX};
    memcpy(wants, envelope, sizeof(envelope));
    return tb_json_scan(text, &strict, wants, WANT_COUNT, err);
}

/* Scans again with a repaired copy if only the escapes are at fault. */
static int scan_or_repair(struct tb_str text, struct tb_json_want *wants, char **ret_repaired,
                          struct tb_err *err)
{
    static const struct tb_json_limits lenient = {.depth_max = TB_JSON_DEPTH_MAX,
                                                  .any_escape = true};
    int rc = scan(text, wants, err);
    if (rc >= 0) {
        return rc;
    }
    struct tb_json_want none;
    if (tb_json_scan(text, &lenient, &none, 0, NULL) < 0) {
        return rc;
    }
    char *copy = tb_memdup(text.ptr, text.len);
    repair(copy, text.len);
    *ret_repaired = copy;
    return scan((struct tb_str){copy, text.len}, wants, err);
}

/* Methods and session ids are plain words, so what stands between the quotes is the text. */
static struct tb_str unquoted(const struct tb_json_value *value)
{
    return value->type == TB_JSON_STRING ? tb_str_sub(value->text, 1, value->text.len - 1)
                                         : (struct tb_str){NULL, 0};
}

int tb_cdp_message_parse(struct tb_str text, struct tb_cdp_message *ret_message, struct tb_err *err)
{
    struct tb_json_want wants[WANT_COUNT];
    char *repaired = NULL;
    int rc = scan_or_repair(text, wants, &repaired, err);
    struct tb_cdp_message message = {.repaired = repaired};
    if (rc == TB_JSON_OBJECT) {
        message.has_id = tb_str_to_u64(wants[WANT_ID].value.text, &message.id);
        message.method = unquoted(&wants[WANT_METHOD].value);
        message.session_id = unquoted(&wants[WANT_SESSION].value);
        message.params = wants[WANT_PARAMS].value.text;
        message.result = wants[WANT_RESULT].value.text;
        message.error = wants[WANT_ERROR].value.text;
    }
    if (!message.has_id && !message.method.len) {
        tb_free(repaired);
        return rc < 0 ? rc : tb_fail(err, TB_E_PARSE, "neither a reply nor an event");
    }
    *ret_message = message;
    return 0;
}

void tb_cdp_message_fini(struct tb_cdp_message *message)
{
    tb_free(message->repaired);
    message->repaired = NULL;
}

bool tb_cdp_message_head_id(struct tb_str head, uint64_t *ret_id)
{
    static const char start[] = "{\"id\":";
    if (!tb_str_starts(head, TB_STR(start))) {
        return false;
    }
    struct tb_str rest = tb_str_sub(head, sizeof(start) - 1, head.len);
    size_t digits = 0;
    while (digits < rest.len && isdigit((unsigned char)rest.ptr[digits])) {
        digits++;
    }
    /* A number that the head ends with may go on. */
    return digits < rest.len && tb_str_to_u64(tb_str_sub(rest, 0, digits), ret_id);
}

int tb_cdp_message_error(struct tb_str error, struct tb_err *ret_err)
{
    struct tb_json_want wants[] = {{.key = "code"}, {.key = "message"}};
    static const struct tb_json_limits limits = {.depth_max = TB_JSON_DEPTH_MAX};
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(ERROR_WORDS_MAX);
    int code = TB_E_PROTOCOL;
    if (tb_json_scan(error, &limits, wants, TB_COUNT(wants), NULL) == TB_JSON_OBJECT) {
        tb_json_string_decode(wants[1].value.text, &words);
        if (tb_str_eq_cstr(wants[0].value.text, "-32001")) {
            code = TB_E_NOT_FOUND;
        }
    }
    struct tb_quoted said;
    return tb_fail(ret_err, code, "%s",
                   words.len ? tb_quoted(&said, tb_buf_str(&words), 0) : "it gave no reason");
}
