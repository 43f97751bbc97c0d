/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "proto/json_string.h"
#include "proto/json_token.h"

/* What may stand next.
 *
 *   VALUE ---> scalar ------------------------------------> MORE
 *     |  '['-> ITEM_OR_CLOSE -> (as VALUE)                   |  ','   -> VALUE or KEY
 *     |  '{'-> KEY_OR_CLOSE  -> KEY ':' VALUE                |  close -> MORE, one level up
 *     at depth 0, MORE is END */
enum expect {
    EXPECT_VALUE,
    EXPECT_ITEM_OR_CLOSE,
    EXPECT_KEY,
    EXPECT_KEY_OR_CLOSE,
    EXPECT_MORE,
    EXPECT_END,
};

enum {
    WANT_DEPTH = 2, /* wants reach this many steps down */
    BITS = 64,
};

struct scan {
    struct tb_str text;
    size_t at;
    struct tb_json_limits limits;
    struct tb_json_want *wants;
    size_t want_count;
    size_t want_next;                      /* behind the one that was found last */
    bool parents;                          /* some want has one */
    struct tb_json_want *open[WANT_DEPTH]; /* wanted members whose value is being read */
    size_t depth;
    size_t tokens;
    uint64_t objects[(TB_JSON_DEPTH_MAX + BITS - 1) / BITS]; /* a bit a level: object, not array */
    struct tb_err *err;
};

static int fail(const struct scan *scan, size_t at, const char *what)
{
    return tb_fail(scan->err, TB_E_PARSE, "byte %zu: %s", at, what);
}

static int over_limit(const struct scan *scan, const char *what, size_t limit)
{
    return tb_fail(scan->err, TB_E_PARSE, "byte %zu: %s, the limit is %zu", scan->at, what, limit);
}

static void skip_space(struct scan *scan)
{
    while (scan->at < scan->text.len) {
        char c = scan->text.ptr[scan->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            break;
        }
        scan->at++;
    }
}

static bool in_object(const struct scan *scan)
{
    size_t level = scan->depth - 1;
    return scan->objects[level / BITS] >> (level % BITS) & 1;
}

static struct tb_str rest(const struct scan *scan)
{
    return (struct tb_str){scan->text.ptr + scan->at, scan->text.len - scan->at};
}

static int count_token(struct scan *scan)
{
    if (scan->limits.token_max && scan->tokens == scan->limits.token_max) {
        return over_limit(scan, "too many keys and values", scan->limits.token_max);
    }
    scan->tokens++;
    return 0;
}

static int read_string(struct scan *scan, struct tb_json_token *ret_token)
{
    if (!tb_json_token_string(rest(scan), scan->limits.any_escape, ret_token)) {
        return fail(scan, scan->at + ret_token->len, ret_token->wrong);
    }
    if (scan->limits.string_max && ret_token->len - 2 > scan->limits.string_max) {
        return over_limit(scan, "the string has too many bytes", scan->limits.string_max);
    }
    scan->at += ret_token->len;
    return 0;
}

static int read_number(struct scan *scan)
{
    struct tb_json_token token;
    if (!tb_json_token_number(rest(scan), &token)) {
        return fail(scan, scan->at + token.len, token.wrong);
    }
    if (scan->limits.number_max && token.len > scan->limits.number_max) {
        return over_limit(scan, "the number has too many bytes", scan->limits.number_max);
    }
    scan->at += token.len;
    return 0;
}

static int read_literal(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        if (tb_str_starts(rest(scan), tb_str_of(words[i]))) {
            scan->at += strlen(words[i]);
            return 0;
        }
    }
    return fail(scan, scan->at, "expected true, false or null");
}

/* Keys may be written with escapes; "meth\u006fd" is "method" to every reader. */
static bool key_is(struct tb_str raw, bool escaped, const char *name)
{
    if (escaped) {
        return tb_json_string_eq(raw, tb_str_of(name));
    }
    /* Most keys differ in their first letter; that saves the call. */
    if (name[0] && raw.ptr[1] != name[0]) {
        return false;
    }
    size_t len = raw.len - 2;
    return strncmp(raw.ptr + 1, name, len) == 0 && name[len] == '\0';
}

/* A parent that stands twice is refused as well: a reader that takes the first and one that takes
 * the last would see different members. */
static int note_parent(struct scan *scan, struct tb_json_want *want, bool open)
{
    want->parent_open = open;
    if (!open) {
        return 0;
    }
    if (want->parent_seen) {
        return fail(scan, scan->at, "a key is given twice");
    }
    want->parent_seen = true;
    return 0;
}

static int note_member(struct scan *scan, struct tb_json_want *want)
{
    if (want->value.type != TB_JSON_ABSENT) {
        return fail(scan, scan->at, "a key is given twice");
    }
    scan->open[scan->depth - 1] = want;
    return 0;
}

/* Members mostly stand in the order in which they are listed: the next one is tried first. */
static int note_key(struct scan *scan, struct tb_str raw, bool escaped)
{
    const size_t first = scan->want_next;
    int rc = 0;
    for (size_t i = 0; i < scan->want_count && rc == 0; i++) {
        size_t place = (first + i) % scan->want_count;
        struct tb_json_want *want = &scan->wants[place];
        if (scan->depth == 1 && want->parent) {
            rc = note_parent(scan, want, key_is(raw, escaped, want->parent));
        } else if ((scan->depth == 1 || want->parent_open) && key_is(raw, escaped, want->key)) {
            rc = note_member(scan, want);
            scan->want_next = place + 1;
            if (!scan->parents) {
                break;
            }
        }
    }
    return rc;
}

static int end_value(struct scan *scan)
{
    if (scan->depth == 0) {
        return EXPECT_END;
    }
    if (scan->depth <= WANT_DEPTH && scan->open[scan->depth - 1]) {
        struct tb_str *range = &scan->open[scan->depth - 1]->value.text;
        range->len = (size_t)(scan->text.ptr + scan->at - range->ptr);
        scan->open[scan->depth - 1] = NULL;
    }
    return EXPECT_MORE;
}

static int open_container(struct scan *scan, bool object)
{
    if (scan->depth == scan->limits.depth_max) {
        return over_limit(scan, "nested too deep", scan->limits.depth_max);
    }
    uint64_t bit = (uint64_t)1 << (scan->depth % BITS);
    uint64_t *word = &scan->objects[scan->depth / BITS];
    *word = object ? *word | bit : *word & ~bit;
    scan->depth++;
    scan->at++;
    return object ? EXPECT_KEY_OR_CLOSE : EXPECT_ITEM_OR_CLOSE;
}

static int close_container(struct scan *scan)
{
    scan->at++;
    scan->depth--;
    return end_value(scan);
}

static int read_value(struct scan *scan)
{
    enum tb_json_type type = tb_json_type_of(scan->text.ptr[scan->at]);
    if (type == TB_JSON_ABSENT) {
        return fail(scan, scan->at, "expected a value");
    }
    int rc = count_token(scan);
    if (rc < 0) {
        return rc;
    }
    if (scan->depth >= 1 && scan->depth <= WANT_DEPTH && scan->open[scan->depth - 1]) {
        scan->open[scan->depth - 1]->value = (struct tb_json_value){type, rest(scan)};
    }
    if (type == TB_JSON_OBJECT || type == TB_JSON_ARRAY) {
        return open_container(scan, type == TB_JSON_OBJECT);
    }
    if (type == TB_JSON_STRING) {
        struct tb_json_token token;
        rc = read_string(scan, &token);
    } else {
        rc = type == TB_JSON_NUMBER ? read_number(scan) : read_literal(scan);
    }
    return rc < 0 ? rc : end_value(scan);
}

static int read_key(struct scan *scan)
{
    if (scan->text.ptr[scan->at] != '"') {
        return fail(scan, scan->at, "expected a key in double quotes");
    }
    int rc = count_token(scan);
    if (rc < 0) {
        return rc;
    }
    size_t start = scan->at;
    struct tb_json_token token;
    rc = read_string(scan, &token);
    if (rc == 0 && scan->depth <= WANT_DEPTH) {
        rc = note_key(scan, tb_str_sub(scan->text, start, scan->at), token.escaped);
    }
    if (rc < 0) {
        return rc;
    }
    skip_space(scan);
    if (scan->at == scan->text.len || scan->text.ptr[scan->at] != ':') {
        return fail(scan, scan->at, "expected a colon after the key");
    }
    scan->at++;
    return EXPECT_VALUE;
}

static int read_more(struct scan *scan)
{
    bool object = in_object(scan);
    char c = scan->text.ptr[scan->at];
    if (c == ',') {
        scan->at++;
        return object ? EXPECT_KEY : EXPECT_VALUE;
    }
    if (c == (object ? '}' : ']')) {
        return close_container(scan);
    }
    return fail(scan, scan->at, object ? "expected a comma or }" : "expected a comma or ]");
}

static int step(struct scan *scan, enum expect expect)
{
    char c = scan->text.ptr[scan->at];
    switch (expect) {
    case EXPECT_KEY_OR_CLOSE:
        return c == '}' ? close_container(scan) : read_key(scan);
    case EXPECT_KEY:
        return read_key(scan);
    case EXPECT_ITEM_OR_CLOSE:
        return c == ']' ? close_container(scan) : read_value(scan);
    case EXPECT_MORE:
        return read_more(scan);
    default:
        return read_value(scan);
    }
}

static int scan_all(struct scan *scan)
{
    int expect = EXPECT_VALUE;
    for (;;) {
        skip_space(scan);
        if (expect == EXPECT_END) {
            break;
        }
        if (scan->at == scan->text.len) {
            return fail(scan, scan->at, "the text ends in the middle of a value");
        }
        expect = step(scan, (enum expect)expect);
        if (expect < 0) {
            return expect;
        }
    }
    return scan->at == scan->text.len ? 0 : fail(scan, scan->at, "more text follows the value");
}

enum tb_json_type tb_json_type_of(char first)
{
    switch (first) {
    case '{':
        return TB_JSON_OBJECT;
    case '[':
        return TB_JSON_ARRAY;
    case '"':
        return TB_JSON_STRING;
    case 't':
    case 'f':
        return TB_JSON_BOOL;
    case 'n':
        return TB_JSON_NULL;
    default:
        return first == '-' || (first >= '0' && first <= '9') ? TB_JSON_NUMBER : TB_JSON_ABSENT;
    }
}

int tb_json_scan(struct tb_str text, const struct tb_json_limits *limits,
                 struct tb_json_want *wants, size_t want_count, struct tb_err *err)
{
    struct scan scan = {
        .text = text, .limits = *limits, .wants = wants, .want_count = want_count, .err = err};
    if (limits->depth_max == 0 || limits->depth_max > TB_JSON_DEPTH_MAX) {
        scan.limits.depth_max = TB_JSON_DEPTH_MAX;
    }
    for (size_t i = 0; i < want_count; i++) {
        wants[i] = (struct tb_json_want){.parent = wants[i].parent, .key = wants[i].key};
        scan.parents = scan.parents || wants[i].parent;
    }
    skip_space(&scan);
    size_t start = scan.at;
    int rc = scan_all(&scan);
    return rc < 0 ? rc : (int)tb_json_type_of(text.ptr[start]);
}

bool tb_json_value_cstr(const struct tb_json_value *value, char *ret_text, size_t size)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(size);
    if (tb_json_string_decode(value->text, &text) < 0 || tb_buf_append_char(&text, '\0') < 0) {
        return false;
    }
    memcpy(ret_text, text.data, text.len);
    return true;
}

bool tb_json_value_int(const struct tb_json_value *value, int64_t *ret_value)
{
    const uint64_t exact = (uint64_t)1 << 53;
    uint64_t number;
    if (!tb_str_to_u64(value->text, &number) || number >= exact) {
        return false;
    }
    *ret_value = (int64_t)number;
    return true;
}
