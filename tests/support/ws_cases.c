/* SPDX-License-Identifier: Apache-2.0 */
#include "support/ws_cases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum {
    FILE_MAX = 1 << 20,
    PAYLOAD_MAX = 8 << 20,
};

struct word {
    const char *name;
    int value;
};

static const struct word opcodes[] = {
    {"cont", 0},  {"text", 1},  {"bin", 2},   {"op3", 3},   {"op4", 4},   {"op5", 5},
    {"op6", 6},   {"op7", 7},   {"close", 8}, {"ping", 9},  {"pong", 10}, {"op11", 11},
    {"op12", 12}, {"op13", 13}, {"op14", 14}, {"op15", 15},
};

static const struct word outcomes[] = {
    {"text", TB_WS_GOT_TEXT},  {"bin", TB_WS_GOT_BINARY}, {"gotpong", TB_WS_GOT_PONG},
    {"pong", TB_WS_SENT_PONG}, {"ping", TB_WS_SENT_PING}, {"close", TB_WS_SENT_CLOSE},
    {"over", TB_WS_OVER},
};

static bool look_up(const struct word *words, size_t count, struct tb_str name, int *ret_value)
{
    for (size_t i = 0; i < count; i++) {
        if (tb_str_eq_cstr(name, words[i].name)) {
            *ret_value = words[i].value;
            return true;
        }
    }
    return false;
}

static struct tb_str behind(struct tb_str text, size_t from)
{
    return tb_str_sub(text, from, text.len);
}

/* Digits at the front; false when there are none. */
static bool take_number(struct tb_str *text, uint64_t *ret_number)
{
    size_t len = 0;
    while (len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9') {
        len++;
    }
    if (!tb_str_to_u64(tb_str_sub(*text, 0, len), ret_number)) {
        return false;
    }
    *text = behind(*text, len);
    return true;
}

static bool take_char(struct tb_str *text, char c)
{
    if (text->len == 0 || text->ptr[0] != c) {
        return false;
    }
    *text = behind(*text, 1);
    return true;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* A quoted text at the front, with its escapes resolved. */
static bool take_quoted(struct tb_str *text, struct tb_buf *out)
{
    *text = behind(*text, 1);
    while (text->len > 0 && text->ptr[0] != '"') {
        char c = text->ptr[0];
        size_t used = 1;
        if (c == '\\' && text->len >= 2) {
            c = text->ptr[1];
            if (c == 'n') {
                c = '\n';
            }
            used = 2;
            if (c == 'x') {
                int high = text->len >= 4 ? hex_digit(text->ptr[2]) : -1;
                int low = text->len >= 4 ? hex_digit(text->ptr[3]) : -1;
                if (high < 0 || low < 0) {
                    return false;
                }
                c = (char)(high << 4 | low);
                used = 4;
            }
        }
        tb_buf_append_char(out, c);
        *text = behind(*text, used);
    }
    return take_char(text, '"');
}

static bool take_piece(struct tb_str *text, struct tb_buf *out)
{
    size_t start = out->len;
    uint64_t number;
    if (take_char(text, '#')) {
        if (!take_number(text, &number) || number > UINT16_MAX) {
            return false;
        }
        tb_buf_append_char(out, (char)(number >> 8));
        tb_buf_append_char(out, (char)number);
    } else if (text->len == 0 || text->ptr[0] != '"' || !take_quoted(text, out)) {
        return false;
    }
    if (!take_char(text, '*')) {
        return true;
    }
    size_t len = out->len - start;
    uint8_t *room;
    if (!take_number(text, &number) || number == 0 ||
        tb_buf_reserve(out, len * (number - 1), &room) < 0) {
        return false;
    }
    for (uint64_t i = 1; i < number; i++) {
        memcpy(out->data + out->len, out->data + start, len);
        out->len += len;
    }
    return true;
}

static bool parse_payload(struct tb_str text, struct tb_buf *out)
{
    if (text.len == 0) {
        return true;
    }
    do {
        if (!take_piece(&text, out)) {
            return false;
        }
    } while (take_char(&text, '+'));
    return text.len == 0;
}

/* "3*" at the front of an item. */
static unsigned take_repeat(struct tb_str *item)
{
    struct tb_str rest = *item;
    uint64_t number;
    if (!take_number(&rest, &number) || !take_char(&rest, '*')) {
        return 1;
    }
    *item = rest;
    return (unsigned)number;
}

static bool take_flag(struct tb_str *flags, struct tb_ws_step *step)
{
    uint64_t number = 0;
    char flag = flags->ptr[0];
    *flags = behind(*flags, 1);
    switch (flag) {
    case '-':
        step->fin = false;
        return true;
    case '!':
        step->wrong_mask = true;
        return true;
    case '^':
        step->rsv = take_number(flags, &number) ? (uint8_t)number : 0;
        return number >= 1 && number <= 7;
    case '=':
        step->length_bits = take_number(flags, &number) ? (unsigned)number : 0;
        return number == 16 || number == 64;
    case '@':
        step->has_declared = true;
        return take_number(flags, &step->declared);
    default:
        return false;
    }
}

static bool parse_frame(struct tb_str head, struct tb_str payload, struct tb_ws_step *step)
{
    size_t name_len = 0;
    while (name_len < head.len && !strchr("-!^=@", head.ptr[name_len])) {
        name_len++;
    }
    int opcode;
    if (!look_up(opcodes, TB_COUNT(opcodes), tb_str_sub(head, 0, name_len), &opcode)) {
        return false;
    }
    step->opcode = (uint8_t)opcode;
    step->fin = true;
    struct tb_str flags = behind(head, name_len);
    while (flags.len > 0) {
        if (!take_flag(&flags, step)) {
            return false;
        }
    }
    return parse_payload(payload, &step->payload);
}

static bool parse_limit(struct tb_ws_case *one, struct tb_str name, uint64_t number)
{
    if (tb_str_eq_cstr(name, "max")) {
        one->limits.message_max = (size_t)number;
    } else if (tb_str_eq_cstr(name, "frags")) {
        one->limits.fragments_max = (unsigned)number;
    } else if (tb_str_eq_cstr(name, "rate")) {
        one->limits.control_frames_per_sec = (unsigned)number;
    } else {
        return false;
    }
    return true;
}

static bool parse_step(struct tb_ws_case *one, struct tb_str item)
{
    unsigned repeat = take_repeat(&item);
    struct tb_str rest = item;
    struct tb_str name = tb_str_cut(&rest, ':');
    uint64_t number;
    if (tb_str_to_u64(rest, &number) && parse_limit(one, name, number)) {
        return true;
    }
    if (one->step_count == TB_WS_CASE_PARTS) {
        return false;
    }
    struct tb_ws_step *step = &one->steps[one->step_count++];
    tb_buf_init(&step->payload, PAYLOAD_MAX);
    step->repeat = repeat;
    if (tb_str_eq_cstr(name, "wait") || tb_str_eq_cstr(name, "weclose")) {
        step->kind = name.len == 4 ? TB_WS_STEP_WAIT : TB_WS_STEP_CLOSE;
        return tb_str_to_u64(rest, &step->value);
    }
    if (tb_str_eq_cstr(name, "weping")) {
        step->kind = TB_WS_STEP_PING;
        return parse_payload(rest, &step->payload);
    }
    return rest.ptr && parse_frame(name, rest, step);
}

static struct tb_ws_outcome *add_outcome(struct tb_ws_case *one, int kind, unsigned repeat)
{
    struct tb_ws_outcome *outcome = &one->outcomes[one->outcome_count++];
    tb_buf_init(&outcome->payload, PAYLOAD_MAX);
    outcome->kind = (enum tb_ws_outcome_kind)kind;
    outcome->repeat = repeat;
    return outcome;
}

/* [CODE[+REASON]]; without a code it is the empty close frame. */
static bool parse_code(struct tb_str text, struct tb_ws_outcome *outcome)
{
    uint64_t code = TB_WS_NO_STATUS;
    if (text.len > 0 && !take_number(&text, &code)) {
        return false;
    }
    outcome->code = (int)code;
    outcome->has_reason = take_char(&text, '+');
    return parse_payload(text, &outcome->payload);
}

static bool parse_outcome(struct tb_ws_case *one, struct tb_str item)
{
    unsigned repeat = take_repeat(&item);
    struct tb_str rest = item;
    struct tb_str name = tb_str_cut(&rest, ':');
    if (!rest.ptr || one->outcome_count + 2 > TB_WS_CASE_PARTS) {
        return false;
    }
    if (tb_str_eq_cstr(name, "end")) {
        return parse_code(rest, add_outcome(one, TB_WS_SENT_CLOSE, 1)) &&
               parse_code(rest, add_outcome(one, TB_WS_OVER, 1));
    }
    int kind;
    if (!look_up(outcomes, TB_COUNT(outcomes), name, &kind)) {
        return false;
    }
    struct tb_ws_outcome *outcome = add_outcome(one, kind, repeat);
    bool has_code = kind == TB_WS_SENT_CLOSE || kind == TB_WS_OVER;
    return has_code ? parse_code(rest, outcome) : parse_payload(rest, &outcome->payload);
}

/* The next item; spaces inside quotes do not end it. */
static struct tb_str next_item(struct tb_str *rest)
{
    *rest = tb_str_trim(*rest);
    bool quoted = false;
    size_t len = 0;
    for (; len < rest->len && (quoted || rest->ptr[len] != ' '); len++) {
        if (rest->ptr[len] == '"') {
            quoted = !quoted;
        } else if (rest->ptr[len] == '\\') {
            len++;
        }
    }
    struct tb_str item = tb_str_sub(*rest, 0, len);
    *rest = tb_str_trim(behind(*rest, len));
    return item;
}

static bool parse_case(struct tb_str line, struct tb_ws_case *one)
{
    struct tb_str name = tb_str_trim(tb_str_cut(&line, '|'));
    struct tb_str sends = tb_str_trim(tb_str_cut(&line, '|'));
    one->name = tb_str_dup(name);
    one->limits = (struct tb_ws_limits){.message_max = 1 << 20, .fragments_max = 100};
    bool good = name.len > 0 && sends.len > 0 && line.ptr;
    line = tb_str_trim(line);
    while (good && sends.len > 0) {
        good = parse_step(one, next_item(&sends));
    }
    while (good && line.len > 0) {
        good = parse_outcome(one, next_item(&line));
    }
    return good;
}

static int read_file(const char *path, struct tb_buf *ret_text)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return -errno;
    }
    char block[4096];
    size_t got;
    int rc = 0;
    while (rc == 0 && (got = fread(block, 1, sizeof(block), file)) > 0) {
        rc = tb_buf_append(ret_text, block, got);
    }
    fclose(file);
    return rc;
}

int tb_ws_cases_load(const char *root, struct tb_ws_cases *ret_cases, struct tb_err *err)
{
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/tests/data/ws/cases.txt", root);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(FILE_MAX);
    int rc = read_file(path, &text);
    if (rc < 0) {
        return tb_fail(err, rc, "%s: %s", path, tb_err_name(rc));
    }
    struct tb_ws_cases cases = {NULL, 0};
    struct tb_str rest = tb_buf_str(&text);
    for (unsigned number = 1; rest.ptr; number++) {
        struct tb_str line = tb_str_trim(tb_str_cut(&rest, '\n'));
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        cases.cases = tb_realloc(cases.cases, (cases.count + 1) * sizeof(*cases.cases));
        struct tb_ws_case *one = &cases.cases[cases.count++];
        memset(one, 0, sizeof(*one));
        if (!parse_case(line, one)) {
            tb_ws_cases_fini(&cases);
            return tb_fail(err, TB_E_PARSE, "%s:%u: not a case", path, number);
        }
    }
    *ret_cases = cases;
    return 0;
}

void tb_ws_cases_fini(struct tb_ws_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        struct tb_ws_case *one = &cases->cases[i];
        for (size_t at = 0; at < one->step_count; at++) {
            tb_buf_fini(&one->steps[at].payload);
        }
        for (size_t at = 0; at < one->outcome_count; at++) {
            tb_buf_fini(&one->outcomes[at].payload);
        }
        tb_free(one->name);
    }
    tb_free(cases->cases);
    *cases = (struct tb_ws_cases){NULL, 0};
}

static void append_length(struct tb_buf *out, uint64_t length, unsigned bits, uint8_t mask_bit)
{
    if (bits == 0) {
        bits = length < 126 ? 7 : length <= UINT16_MAX ? 16 : 64;
    }
    if (bits == 7) {
        tb_buf_append_char(out, (char)(mask_bit | length));
        return;
    }
    tb_buf_append_char(out, (char)(mask_bit | (bits == 16 ? 126 : 127)));
    while (bits > 0) {
        bits -= 8;
        tb_buf_append_char(out, (char)(length >> bits));
    }
}

void tb_ws_step_wire(const struct tb_ws_step *step, enum tb_ws_role role, struct tb_buf *out)
{
    static const uint8_t key[4] = {0x37, 0xfa, 0x21, 0x3d};
    bool masked = (role == TB_WS_SERVER) != step->wrong_mask;
    tb_buf_append_char(out, (char)((step->fin ? 0x80 : 0) | step->rsv << 4 | step->opcode));
    append_length(out, step->has_declared ? step->declared : step->payload.len, step->length_bits,
                  masked ? 0x80 : 0);
    if (masked) {
        tb_buf_append(out, key, sizeof(key));
    }
    for (size_t i = 0; i < step->payload.len; i++) {
        uint8_t byte = step->payload.data[i];
        tb_buf_append_char(out, (char)(masked ? byte ^ key[i % sizeof(key)] : byte));
    }
}
