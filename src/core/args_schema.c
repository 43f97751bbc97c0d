/* SPDX-License-Identifier: Apache-2.0 */
#include "core/args.h"

enum {
    RANGE_SHOWN = 500,
};

/* A wide range is there against nonsense and is checked; to a caller it says nothing. */
static void put_range(const struct tb_param *row, struct tb_json_writer *json)
{
    if (row->max > row->min && row->max - row->min <= RANGE_SHOWN) {
        tb_json_member_int(json, "minimum", row->min);
        tb_json_member_int(json, "maximum", row->max);
    }
}

static void put_choices(const struct tb_param *row, struct tb_json_writer *json)
{
    tb_json_key(json, "enum");
    tb_json_array_open(json);
    for (size_t i = 0; row->choices && row->choices[i]; i++) {
        tb_json_put_cstr(json, row->choices[i]);
    }
    tb_json_array_close(json);
}

/* The members of an object schema; free-form objects have only their type. */
static void put_object(const struct tb_param *fields, bool open, struct tb_json_writer *json);

static void put_items(const struct tb_param *row, struct tb_json_writer *json)
{
    tb_json_member_cstr(json, "type", "array");
    tb_json_key(json, "items");
    tb_json_object_open(json);
    if (row->type == TB_PARAM_TEXTS) {
        tb_json_member_cstr(json, "type", "string");
    } else {
        put_object(row->fields, row->open, json);
    }
    tb_json_object_close(json);
}

static void put_type(const struct tb_param *row, struct tb_json_writer *json)
{
    switch (row->type) {
    case TB_PARAM_TEXT:
        tb_json_member_cstr(json, "type", "string");
        break;
    case TB_PARAM_INT:
        tb_json_member_cstr(json, "type", "integer");
        put_range(row, json);
        break;
    case TB_PARAM_NUMBER:
        tb_json_member_cstr(json, "type", "number");
        put_range(row, json);
        break;
    case TB_PARAM_FLAG:
        tb_json_member_cstr(json, "type", "boolean");
        break;
    case TB_PARAM_CHOICE:
        tb_json_member_cstr(json, "type", "string");
        put_choices(row, json);
        break;
    case TB_PARAM_TEXTS:
    case TB_PARAM_OBJECTS:
        put_items(row, json);
        break;
    case TB_PARAM_OBJECT:
        put_object(row->fields, row->open, json);
        break;
    case TB_PARAM_ANY:
        break;
    }
}

static void put_fallback(const struct tb_param *row, struct tb_json_writer *json)
{
    if (!row->fallback) {
        return;
    }
    tb_json_key(json, "default");
    if (row->type == TB_PARAM_TEXT || row->type == TB_PARAM_CHOICE) {
        tb_json_put_cstr(json, row->fallback);
    } else {
        tb_json_put_raw(json, tb_str_of(row->fallback));
    }
}

static void put_property(const struct tb_param *row, struct tb_json_writer *json)
{
    tb_json_key(json, row->name);
    tb_json_object_open(json);
    put_type(row, json);
    if (row->help && row->help[0]) {
        tb_json_member_cstr(json, "description", row->help);
    }
    put_fallback(row, json);
    tb_json_object_close(json);
}

void tb_args_row_schema(const struct tb_param *row, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    put_type(row, json);
    put_fallback(row, json);
    tb_json_object_close(json);
}

static void put_required(const struct tb_param *params, struct tb_json_writer *json)
{
    bool any = false;
    for (const struct tb_param *row = params; row->name; row++) {
        if (row->required && !any) {
            any = true;
            tb_json_key(json, "required");
            tb_json_array_open(json);
        }
        if (row->required) {
            tb_json_put_cstr(json, row->name);
        }
    }
    if (any) {
        tb_json_array_close(json);
    }
}

static void put_object(const struct tb_param *fields, bool open, struct tb_json_writer *json)
{
    tb_json_member_cstr(json, "type", "object");
    if (!fields) {
        return;
    }
    tb_json_key(json, "properties");
    tb_json_object_open(json);
    for (const struct tb_param *row = fields; row->name; row++) {
        if (!row->unlisted) {
            put_property(row, json);
        }
    }
    tb_json_object_close(json);
    put_required(fields, json);
    /* Not true either: a strict client closes the object by itself, but not against our word. */
    if (!open) {
        tb_json_member_bool(json, "additionalProperties", false);
    }
}

void tb_args_schema(const struct tb_param *params, struct tb_json_writer *json)
{
    static const struct tb_param none = {.name = NULL};
    tb_json_object_open(json);
    put_object(params ? params : &none, false, json);
    tb_json_object_close(json);
}

void tb_args_open_schema(const struct tb_param *params, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    put_object(params, true, json);
    tb_json_object_close(json);
}
