/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/args.h"
#include "core/limits.h"
#include "proto/json_scan.h"

enum {
    SHOWN_MAX = 40, /* of what the caller sent, in an error */
    WORD_MAX = 32,  /* longer names have no near miss */
    KNOWN_MAX = 300,
    SHORT_MIN = 4, /* of a choice that is not written out */
};

static const double EXACT_MAX = 9007199254740992.0; /* 2^53 */

/* What the caller sent, cut for an error text at the end of a character. */
static struct tb_str shown(struct tb_str text)
{
    text = tb_str_sub(text, 0, SHOWN_MAX);
    return tb_str_sub(text, 0, tb_utf8_prefix(text));
}

static bool in_list(const char *const *list, struct tb_str word)
{
    for (; list && *list; list++) {
        if (tb_str_eq_cstr(word, *list)) {
            return true;
        }
    }
    return false;
}

static const struct tb_param *find(const struct tb_param *params, struct tb_str name)
{
    for (const struct tb_param *row = params; row->name; row++) {
        if (tb_str_eq_cstr(name, row->name)) {
            return row;
        }
    }
    for (const struct tb_param *row = params; row->name; row++) {
        if (in_list(row->aliases, name)) {
            return row;
        }
    }
    return NULL;
}

static bool is_remark(const struct tb_param *params, struct tb_str name)
{
    for (const struct tb_param *row = params; row->name; row++) {
        if (in_list(row->remarks, name)) {
            return true;
        }
    }
    return false;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* How many letters must change, come or go to make one word of the other; case is no matter. */
static size_t distance(struct tb_str a, struct tb_str b)
{
    size_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j];
            size_t changed = corner + (size_t)(lower(a.ptr[i - 1]) != lower(b.ptr[j - 1]));
            row[j] = least(changed, above + 1, row[j - 1] + 1);
            corner = above;
        }
    }
    return row[b.len];
}

static const char *nearest(const struct tb_param *params, struct tb_str name)
{
    const char *best = NULL;
    size_t best_distance = 3; /* more than two slips are another word */
    for (const struct tb_param *row = params; row->name; row++) {
        struct tb_str known = tb_str_of(row->name);
        if (name.len > WORD_MAX || known.len > WORD_MAX) {
            continue;
        }
        size_t far = distance(name, known);
        if (far < best_distance && far < known.len) {
            best_distance = far;
            best = row->name;
        }
    }
    return best;
}

/* "a, b, c"; cut at the ceiling of `out`, which is enough for every table that we have. */
static void list_names(const struct tb_param *params, struct tb_buf *out)
{
    for (const struct tb_param *row = params; row->name; row++) {
        if (tb_buf_printf(out, "%s%s", out->len ? ", " : "", row->name) < 0) {
            return;
        }
    }
}

/* What to write instead of an argument of another server's; NULL: it is none that we know. */
static const char *habit(const struct tb_param *params, struct tb_str name)
{
    for (const struct tb_param *row = params; row->name; row++) {
        for (const char *const *pair = row->habits; pair && *pair; pair += 2) {
            if (tb_str_eq_cstr(name, pair[0])) {
                return pair[1];
            }
        }
    }
    return NULL;
}

static int unknown(const struct tb_param *params, struct tb_str name, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf known = TB_BUF(KNOWN_MAX);
    list_names(params, &known);
    const char *instead = habit(params, name);
    const char *near = nearest(params, name);
    struct tb_str cut = shown(name);
    if (instead) {
        return tb_fail(err, TB_E_PARAMS,
                       "unknown argument '%.*s'; write %s instead. Known arguments: %.*s",
                       TB_STR_ARG(cut), instead, TB_STR_ARG(tb_buf_str(&known)));
    }
    if (!known.len) {
        return tb_fail(err, TB_E_PARAMS, "unknown argument '%.*s'; no arguments are accepted here",
                       TB_STR_ARG(cut));
    }
    if (near) {
        return tb_fail(err, TB_E_PARAMS,
                       "unknown argument '%.*s'; did you mean '%s'? Known arguments: %.*s",
                       TB_STR_ARG(cut), near, TB_STR_ARG(tb_buf_str(&known)));
    }
    return tb_fail(err, TB_E_PARAMS, "unknown argument '%.*s'. Known arguments: %.*s",
                   TB_STR_ARG(cut), TB_STR_ARG(tb_buf_str(&known)));
}

static const char *type_words(enum tb_param_type type)
{
    static const char *const words[] = {
        [TB_PARAM_TEXT] = "text",        [TB_PARAM_INT] = "a whole number",
        [TB_PARAM_NUMBER] = "a number",  [TB_PARAM_FLAG] = "true or false",
        [TB_PARAM_CHOICE] = "text",      [TB_PARAM_TEXTS] = "an array of strings",
        [TB_PARAM_OBJECT] = "an object", [TB_PARAM_OBJECTS] = "an array of objects",
        [TB_PARAM_ANY] = "anything",
    };
    return words[type];
}

/* Says of objects what they have to have. */
static int wrong_type(const struct tb_param *row, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf members = TB_BUF(KNOWN_MAX);
    if (row->fields) {
        list_names(row->fields, &members);
    }
    return tb_fail(err, TB_E_PARAMS, "argument '%s' must be %s%s%.*s", row->name,
                   type_words(row->type),
                   !members.len                    ? ""
                   : row->type == TB_PARAM_OBJECTS ? ", each with "
                                                   : " with ",
                   TB_STR_ARG(tb_buf_str(&members)));
}

struct cJSON *tb_args_from_text(struct tb_str text)
{
    static const struct tb_json_limits limits = {.depth_max = TB_ARGS_TEXT_DEPTH,
                                                 .number_max = TB_JSON_NUMBER_TREE,
                                                 .token_max = TB_ARGS_TEXT_TOKENS};
    int type = tb_json_scan(text, &limits, NULL, 0, NULL);
    return type == TB_JSON_ARRAY || type == TB_JSON_OBJECT ? tb_json_parse(text) : NULL;
}

/* Language models often write an array or object as text. NULL: it is none that was meant so. */
static struct cJSON *unwrap(const struct cJSON *value)
{
    struct tb_str text;
    return tb_json_str(value, &text) ? tb_args_from_text(text) : NULL;
}

/* A number, or text that is nothing but one. strtod alone would also take "inf", hex and spaces. */
static bool to_number(const struct cJSON *value, double *ret_number)
{
    struct tb_str text;
    if (tb_json_num(value, ret_number)) {
        return true;
    }
    if (!tb_json_str(value, &text) || !text.len ||
        strspn(text.ptr, "+-.0123456789eE") != text.len) {
        return false;
    }
    char *end;
    *ret_number = strtod(text.ptr, &end);
    return end == text.ptr + text.len && isfinite(*ret_number);
}

static int check_number(const struct tb_param *row, const struct cJSON *value,
                        struct cJSON **ret_value, struct tb_err *err)
{
    double number;
    int64_t whole;
    if (!to_number(value, &number)) {
        return wrong_type(row, err);
    }
    TB_AUTO(tb_json_free) struct cJSON *made = tb_json_new_num(number);
    if (row->type == TB_PARAM_INT && !tb_json_int(made, &whole)) {
        return wrong_type(row, err);
    }
    if (row->max > row->min && (number < (double)row->min || number > (double)row->max)) {
        return tb_fail(err, TB_E_PARAMS, "argument '%s' must be between %lld and %lld", row->name,
                       (long long)row->min, (long long)row->max);
    }
    *ret_value = made;
    made = NULL;
    return 0;
}

static int check_flag(const struct tb_param *row, const struct cJSON *value,
                      struct cJSON **ret_value, struct tb_err *err)
{
    bool flag;
    struct tb_str text = TB_STR("");
    if (!tb_json_bool(value, &flag)) {
        tb_json_str(value, &text);
        flag = tb_str_eq_nocase(text, TB_STR("true")) || tb_str_eq_cstr(text, "1");
        if (!flag && !tb_str_eq_nocase(text, TB_STR("false")) && !tb_str_eq_cstr(text, "0")) {
            return wrong_type(row, err);
        }
    }
    *ret_value = tb_json_new_bool(flag);
    return 0;
}

/* true and 42 are "true" and "42". A whole number that JSON has not kept exactly is no text. */
static bool print_plain(const struct cJSON *value, struct tb_buf *out)
{
    double number;
    bool flag;
    if (tb_json_num(value, &number)) {
        return fabs(number) < EXACT_MAX && tb_json_print(value, out) == 0;
    }
    return tb_json_bool(value, &flag) && tb_json_print(value, out) == 0;
}

static int check_text(const struct tb_param *row, const struct cJSON *value,
                      struct cJSON **ret_value, struct tb_err *err)
{
    struct tb_str text;
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(SHOWN_MAX);
    if (!tb_json_str(value, &text)) {
        if (!print_plain(value, &plain)) {
            return wrong_type(row, err);
        }
        text = tb_buf_str(&plain);
    }
    *ret_value = tb_json_new_str(text);
    return 0;
}

/* The one choice that a text is the beginning of: warn for warning. NULL: none, or several. */
static const char *begun_choice(const struct tb_param *row, struct tb_str text)
{
    const char *found = NULL;
    for (const char *const *choice = row->choices; choice && *choice; choice++) {
        if (text.len >= SHORT_MIN && tb_str_starts(tb_str_of(*choice), text)) {
            if (found) {
                return NULL;
            }
            found = *choice;
        }
    }
    return found;
}

static int check_choice(const struct tb_param *row, const struct cJSON *value,
                        struct cJSON **ret_value, struct tb_err *err)
{
    struct tb_str text;
    if (!tb_json_str(value, &text)) {
        return wrong_type(row, err);
    }
    const char *begun = begun_choice(row, text);
    if (in_list(row->choices, text) || begun) {
        *ret_value = tb_json_new_str(in_list(row->choices, text) ? text : tb_str_of(begun));
        return 0;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf all = TB_BUF(KNOWN_MAX);
    for (const char *const *choice = row->choices; choice && *choice; choice++) {
        if (tb_buf_printf(&all, "%s%s", all.len ? ", " : "", *choice) < 0) {
            break;
        }
    }
    return tb_fail(err, TB_E_PARAMS, "argument '%s' must be one of %.*s, not '%.*s'", row->name,
                   TB_STR_ARG(tb_buf_str(&all)), TB_STR_ARG(shown(text)));
}

static int check_object(const struct tb_param *row, const struct cJSON *value,
                        struct cJSON **ret_value, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *unwrapped = unwrap(value);
    value = unwrapped ? unwrapped : value;
    if (!tb_json_is_object(value)) {
        return wrong_type(row, err);
    }
    if (!row->fields || row->open) {
        *ret_value = tb_json_dup(value);
        return 0;
    }
    return tb_args_check(row->fields, value, ret_value, err);
}

static int check_item(const struct tb_param *row, const struct cJSON *value,
                      struct cJSON **ret_value, struct tb_err *err)
{
    return row->type == TB_PARAM_TEXTS ? check_text(row, value, ret_value, err)
                                       : check_object(row, value, ret_value, err);
}

static int check_items(const struct tb_param *row, const struct cJSON *array,
                       struct cJSON **ret_value, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *checked = tb_json_new_array();
    size_t index = 0;
    JSON_ARRAY_FOREACH(item, array) {
        struct cJSON *made = NULL;
        int rc = check_item(row, item, &made, err);
        if (rc < 0) {
            tb_err_prefix(err, "in item %zu of '%s': ", index + 1, row->name);
            return rc;
        }
        tb_json_append_take(checked, made);
        index++;
    }
    *ret_value = checked;
    checked = NULL;
    return 0;
}

/* One where several are wanted. */
static int check_only(const struct tb_param *row, const struct cJSON *item,
                      struct cJSON **ret_value, struct tb_err *err)
{
    struct cJSON *only = NULL;
    if (check_item(row, item, &only, NULL) < 0) {
        return wrong_type(row, err);
    }
    *ret_value = tb_json_new_array();
    tb_json_append_take(*ret_value, only);
    return 0;
}

static int check_array(const struct tb_param *row, const struct cJSON *value,
                       struct cJSON **ret_value, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *unwrapped = unwrap(value);
    if (tb_json_is_array(unwrapped)) {
        int rc = check_items(row, unwrapped, ret_value, err);
        /* A text that only looks like JSON is a text. */
        return rc < 0 && row->type == TB_PARAM_TEXTS ? check_only(row, value, ret_value, err) : rc;
    }
    return tb_json_is_array(value) ? check_items(row, value, ret_value, err)
                                   : check_only(row, value, ret_value, err);
}

static int check_value(const struct tb_param *row, const struct cJSON *value,
                       struct cJSON **ret_value, struct tb_err *err)
{
    int rc = 0;
    switch (row->type) {
    case TB_PARAM_TEXT:
        return check_text(row, value, ret_value, err);
    case TB_PARAM_INT:
    case TB_PARAM_NUMBER:
        return check_number(row, value, ret_value, err);
    case TB_PARAM_FLAG:
        return check_flag(row, value, ret_value, err);
    case TB_PARAM_CHOICE:
        return check_choice(row, value, ret_value, err);
    case TB_PARAM_TEXTS:
    case TB_PARAM_OBJECTS:
        return check_array(row, value, ret_value, err);
    case TB_PARAM_OBJECT:
        rc = check_object(row, value, ret_value, err);
        if (rc < 0 && tb_json_is_object(value)) {
            tb_err_prefix(err, "in %s: ", row->name);
        }
        return rc;
    case TB_PARAM_ANY:
        *ret_value = tb_json_dup(value);
        return 0;
    }
    return rc;
}

static int given_twice(const struct tb_param *row, struct tb_str name, struct tb_err *err)
{
    bool by_alias = !tb_str_eq_cstr(name, row->name);
    return by_alias ? tb_fail(err, TB_E_PARAMS, "argument '%s' is given twice, also as '%.*s'",
                              row->name, TB_STR_ARG(name))
                    : tb_fail(err, TB_E_PARAMS, "argument '%s' is given twice", row->name);
}

/* Some clients send every argument that there is, with nothing in it. */
static bool is_absent(const struct tb_param *row, const struct cJSON *value)
{
    struct tb_str text;
    if (row->type == TB_PARAM_ANY) {
        return false;
    }
    return tb_json_is_null(value) ||
           (!row->required && !row->empty && tb_json_str(value, &text) && !text.len);
}

static bool lacks_text(const struct tb_param *row, const struct cJSON *value)
{
    struct tb_str text;
    return row->type == TB_PARAM_TEXT && !row->empty && tb_json_str(value, &text) && !text.len;
}

bool tb_args_know(const struct tb_param *params, struct tb_str name)
{
    return find(params, name) != NULL;
}

static int take_member(const struct tb_param *params, const struct cJSON *member,
                       struct cJSON *args, struct tb_err *err)
{
    struct tb_str name = tb_str_of(tb_json_name(member));
    const struct tb_param *row = find(params, name);
    if (!row) {
        return is_remark(params, name) ? 0 : unknown(params, name, err);
    }
    if (is_absent(row, member)) {
        return 0;
    }
    if (lacks_text(row, member)) {
        return tb_fail(err, TB_E_PARAMS, "argument '%s' is empty", row->name);
    }
    if (tb_json_get(args, row->name)) {
        return given_twice(row, name, err);
    }
    struct cJSON *value = NULL;
    int rc = check_value(row, member, &value, err);
    if (rc == 0) {
        tb_json_set_take(args, row->name, value);
    }
    return rc;
}

static int check_required(const struct tb_param *params, const struct cJSON *args,
                          struct tb_err *err)
{
    for (const struct tb_param *row = params; row->name; row++) {
        if (row->required && !tb_json_get(args, row->name)) {
            TB_AUTO(tb_buf_fini) struct tb_buf known = TB_BUF(KNOWN_MAX);
            list_names(params, &known);
            return tb_fail(err, TB_E_PARAMS, "argument '%s' is missing. Known arguments: %.*s",
                           row->name, TB_STR_ARG(tb_buf_str(&known)));
        }
    }
    return 0;
}

int tb_args_check(const struct tb_param *params, const struct cJSON *given, struct cJSON **ret_args,
                  struct tb_err *err)
{
    static const struct tb_param none = {.name = NULL};
    params = params ? params : &none;
    if (given && !tb_json_is_object(given)) {
        return tb_fail(err, TB_E_PARAMS, "the arguments must be an object");
    }
    TB_AUTO(tb_json_free) struct cJSON *args = tb_json_new_object();
    JSON_ARRAY_FOREACH(member, given) {
        int rc = take_member(params, member, args, err);
        if (rc < 0) {
            return rc;
        }
    }
    int rc = check_required(params, args, err);
    if (rc == 0) {
        *ret_args = args;
        args = NULL;
    }
    return rc;
}
