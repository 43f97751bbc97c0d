/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/json.h"
#include "base/mem.h"

/* cJSON gives NULL only without memory, and our own sizes end the process then (base/mem.h). */
static struct cJSON *must(struct cJSON *item)
{
    if (!item) {
        abort();
    }
    return item;
}

struct cJSON *tb_json_new_object(void)
{
    return must(cJSON_CreateObject());
}

struct cJSON *tb_json_new_array(void)
{
    return must(cJSON_CreateArray());
}

struct cJSON *tb_json_new_str(struct tb_str text)
{
    /* cJSON_CreateString wants a NUL behind the text, which a slice does not have; so the item gets
     * our copy, which cJSON_Delete frees with the same free. */
    struct cJSON *item = must(cJSON_CreateNull());
    item->type = cJSON_String;
    item->valuestring = tb_memdup(text.ptr, text.len);
    return item;
}

struct cJSON *tb_json_new_num(double value)
{
    return must(cJSON_CreateNumber(value));
}

struct cJSON *tb_json_new_bool(bool value)
{
    return must(cJSON_CreateBool(value));
}

struct cJSON *tb_json_dup(const struct cJSON *json)
{
    return json ? must(cJSON_Duplicate(json, true)) : NULL;
}

bool tb_json_eq(const struct cJSON *a, const struct cJSON *b)
{
    return cJSON_Compare(a, b, true);
}

void tb_json_set_take(struct cJSON *object, const char *key, struct cJSON *item)
{
    if (!item) {
        return;
    }
    if (cJSON_GetObjectItemCaseSensitive(object, key)) {
        cJSON_ReplaceItemInObjectCaseSensitive(object, key, item);
    } else if (!cJSON_AddItemToObject(object, key, item)) {
        abort();
    }
}

void tb_json_set_str(struct cJSON *object, const char *key, struct tb_str text)
{
    tb_json_set_take(object, key, tb_json_new_str(text));
}

void tb_json_set_cstr(struct cJSON *object, const char *key, const char *text)
{
    if (text) {
        tb_json_set_str(object, key, tb_str_of(text));
    } else {
        tb_json_set_null(object, key);
    }
}

void tb_json_set_int(struct cJSON *object, const char *key, int64_t value)
{
    tb_json_set_num(object, key, (double)value);
}

void tb_json_set_num(struct cJSON *object, const char *key, double value)
{
    tb_json_set_take(object, key, tb_json_new_num(value));
}

void tb_json_set_bool(struct cJSON *object, const char *key, bool value)
{
    tb_json_set_take(object, key, tb_json_new_bool(value));
}

void tb_json_set_null(struct cJSON *object, const char *key)
{
    tb_json_set_take(object, key, must(cJSON_CreateNull()));
}

void tb_json_append_take(struct cJSON *array, struct cJSON *item)
{
    if (item && !cJSON_AddItemToArray(array, item)) {
        abort();
    }
}

void tb_json_remove(struct cJSON *object, const char *key)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
}

static void put_scalar(struct tb_json_writer *writer, const struct cJSON *json)
{
    if (cJSON_IsString(json)) {
        tb_json_put_cstr(writer, json->valuestring);
    } else if (cJSON_IsNumber(json)) {
        tb_json_put_num(writer, json->valuedouble);
    } else if (cJSON_IsBool(json)) {
        tb_json_put_bool(writer, cJSON_IsTrue(json));
    } else {
        tb_json_put_null(writer);
    }
}

/* As deep as the tree; cJSON parses no deeper than 1000. */
void tb_json_put_tree(struct tb_json_writer *writer, const struct cJSON *json)
{
    if (tb_json_is_object(json)) {
        tb_json_object_open(writer);
        JSON_ARRAY_FOREACH(item, json) {
            tb_json_key(writer, item->string);
            tb_json_put_tree(writer, item);
        }
        tb_json_object_close(writer);
    } else if (tb_json_is_array(json)) {
        tb_json_array_open(writer);
        JSON_ARRAY_FOREACH(item, json) {
            tb_json_put_tree(writer, item);
        }
        tb_json_array_close(writer);
    } else {
        put_scalar(writer, json);
    }
}

int tb_json_print(const struct cJSON *json, struct tb_buf *out)
{
    const size_t before = out->len;
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, out);
    tb_json_put_tree(&writer, json);
    if (writer.rc < 0) {
        out->len = before;
    }
    return writer.rc;
}
