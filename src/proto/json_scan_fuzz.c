/* SPDX-License-Identifier: Apache-2.0 */
/* What the strict scan accepts, the loose scan and the tree parser read the same way: same members,
 * same types; each range is JSON of its own; and walking over the text finds as many items as the
 * tree has. */
#undef NDEBUG
#include <assert.h>
#include <stdint.h>

#include "base/json.h"
#include "base/mem.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tb_json_limits strict = {.depth_max = 64,
                                             .number_max = TB_JSON_NUMBER_TREE,
                                             .token_max = 100000};
static const struct tb_json_limits loose = {.any_escape = true};

static const struct tb_json_want paths[] = {
    {.key = "id"},
    {.key = "method"},
    {.key = "params"},
    {.parent = "params", .key = "name"},
    {.parent = "params", .key = "_meta"},
    {.key = "result"},
    {.parent = "error", .key = "code"},
    {.key = ""},
};

static enum tb_json_type tree_type(const struct cJSON *json)
{
    if (!json) {
        return TB_JSON_ABSENT;
    }
    if (tb_json_is_object(json)) {
        return TB_JSON_OBJECT;
    }
    if (tb_json_is_array(json)) {
        return TB_JSON_ARRAY;
    }
    if (tb_json_str(json, &(struct tb_str){NULL, 0})) {
        return TB_JSON_STRING;
    }
    if (tb_json_num(json, &(double){0})) {
        return TB_JSON_NUMBER;
    }
    return tb_json_bool(json, &(bool){false}) ? TB_JSON_BOOL : TB_JSON_NULL;
}

static void check_string(struct tb_str raw, const struct cJSON *json)
{
    struct tb_str plain;
    assert(tb_json_str(json, &plain));
    assert(tb_json_string_eq(raw, plain));
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(raw.len);
    assert(tb_json_string_decode(raw, &out) == 0);
    assert(tb_str_eq(tb_buf_str(&out), plain));
}

static void check_value(struct tb_json_value value, const struct cJSON *json)
{
    assert(value.type == tree_type(json));
    if (value.type != TB_JSON_ABSENT) {
        assert(tb_json_scan(value.text, &strict, NULL, 0, NULL) == (int)value.type);
    }
    if (value.type == TB_JSON_STRING) {
        check_string(value.text, json);
    }
}

static void check_items(struct tb_str text, const struct cJSON *json)
{
    struct tb_json_iter iter = tb_json_iter_of(text);
    struct tb_json_item item;
    const struct cJSON *node = tb_json_first(json);
    for (; tb_json_iter_next(&iter, &item); node = tb_json_next(node)) {
        assert(node);
        check_value(item.value, node);
        const char *name = tb_json_name(node);
        assert((name != NULL) == (item.key.ptr != NULL));
        assert(!name || tb_json_string_eq(item.key, tb_str_of(name)));
    }
    assert(!node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str text = {(const char *)data, size};
    struct tb_json_want wants[TB_COUNT(paths)];
    struct tb_json_want again[TB_COUNT(paths)];
    for (size_t i = 0; i < TB_COUNT(paths); i++) {
        wants[i] = paths[i];
        again[i] = paths[i];
    }
    struct tb_err err;
    int type = tb_json_scan(text, &strict, wants, TB_COUNT(wants), &err);
    int loose_type = tb_json_scan(text, &loose, again, TB_COUNT(again), NULL);
    if (type < 0) {
        assert(type == TB_E_PARSE && err.code == TB_E_PARSE);
        return 0;
    }
    assert(type == loose_type);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(text);
    assert(json);
    assert((int)tree_type(json) == type);
    for (size_t i = 0; i < TB_COUNT(wants); i++) {
        const char *parent = wants[i].parent;
        check_value(wants[i].value,
                    tb_json_get(parent ? tb_json_get(json, parent) : json, wants[i].key));
        assert(wants[i].value.text.ptr == again[i].value.text.ptr);
        assert(wants[i].value.text.len == again[i].value.text.len);
    }
    check_items(text, json);
    return 0;
}
