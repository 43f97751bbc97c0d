/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of tools. One table a tool describes them; from it come the JSON schema that agents
 * see, the checks before anything runs, and docs/TOOLS.md.
 *
 * Checked arguments are a JSON object: aliases have their real name, words, numbers, arrays and
 * objects in strings ("true", "5", "[1]") have become what the table asks for, and so have true and
 * 5 where it asks for text (some clients send them so), nothing unknown is in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum tb_param_type {
    TB_PARAM_TEXT,
    TB_PARAM_INT,
    TB_PARAM_NUMBER,
    TB_PARAM_FLAG,
    TB_PARAM_CHOICE, /* one of `choices` */
    TB_PARAM_TEXTS,  /* array of text */
    TB_PARAM_OBJECT,
    TB_PARAM_OBJECTS, /* array of objects */
    TB_PARAM_ANY,
};

struct tb_param {
    const char *name;
    enum tb_param_type type;
    bool required;
    const char *help;           /* empty: the name says it */
    const char *const *choices; /* NULL-ended */
    const char *const *aliases; /* NULL-ended, accepted but not shown */
    const char *const
        *remarks;              /* NULL-ended arguments that some clients send beside it: not used */
    const char *const *habits; /* NULL-ended pairs: what another server takes, and what to write */
    const char *fallback;      /* shown as the default; NULL: none */
    bool empty;                /* an empty text is a value; else it counts as absent, or as wrong
                                  where it is required */
    bool
        unlisted; /* taken, but not in the schema: for scripts, and no text that every agent pays */
    bool open;    /* members besides `fields` are taken as they are, and so are those */
    int64_t min;  /* INT and NUMBER, when max > min */
    int64_t max;
    const struct tb_param *fields; /* of OBJECT and OBJECTS, ended by a NULL name; NULL: anything */
};

/* A tool's table ends with a row whose name is NULL. */

/* Checks `given` (NULL counts as {}) against the table and gives a new object, the caller's. null
 * counts as absent, except for ANY, and so does an empty text for what may be left out; one text or
 * object where an array of them is wanted is an array of one; a text that is JSON is what it says
 * where an array or object is wanted. The error (TB_E_PARAMS) names the argument, what is wrong
 * with it, and which arguments there are. */
int tb_args_check(const struct tb_param *params, const struct cJSON *given, struct cJSON **ret_args,
                  struct tb_err *err);
/* The array or object that a caller has sent as text; NULL: it is none. The caller's. */
struct cJSON *tb_args_from_text(struct tb_str text);
/* The table has an argument of this name or alias. */
bool tb_args_know(const struct tb_param *params, struct tb_str name);
/* Writes {"type":"object","properties":...} for tools/list. */
void tb_args_schema(const struct tb_param *params, struct tb_json_writer *json);
/* The same for what may have other members besides. */
void tb_args_open_schema(const struct tb_param *params, struct tb_json_writer *json);
/* Writes what one of them may be, without its words. */
void tb_args_row_schema(const struct tb_param *row, struct tb_json_writer *json);

/* Reading checked arguments: the value, or `fallback` when absent. */
struct tb_str tb_args_text(const struct cJSON *args, const char *name, const char *fallback);
int64_t tb_args_int(const struct cJSON *args, const char *name, int64_t fallback);
double tb_args_num(const struct cJSON *args, const char *name, double fallback);
bool tb_args_flag(const struct cJSON *args, const char *name, bool fallback);
bool tb_args_has(const struct cJSON *args, const char *name);
