/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct cJSON *tb_json_parse(struct tb_str text)
{
    /* cJSON stops at the end of the first value; what follows is ours to look at. */
    const char *end = NULL;
    struct cJSON *json = cJSON_ParseWithLengthOpts(text.ptr, text.len, &end, false);
    for (; json && end < text.ptr + text.len; end++) {
        if (!is_space(*end)) {
            cJSON_Delete(json);
            return NULL;
        }
    }
    return json;
}

void tb_json_free(struct cJSON *json)
{
    cJSON_Delete(json);
}

const struct cJSON *tb_json_get(const struct cJSON *json, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(json, key);
}

bool tb_json_is_object(const struct cJSON *json)
{
    return cJSON_IsObject(json);
}

bool tb_json_is_array(const struct cJSON *json)
{
    return cJSON_IsArray(json);
}

bool tb_json_is_null(const struct cJSON *json)
{
    return cJSON_IsNull(json);
}

const struct cJSON *tb_json_first(const struct cJSON *json)
{
    return json ? json->child : NULL;
}

const struct cJSON *tb_json_next(const struct cJSON *item)
{
    return item->next;
}

const char *tb_json_name(const struct cJSON *item)
{
    return item->string;
}

bool tb_json_str(const struct cJSON *json, struct tb_str *ret_text)
{
    if (!cJSON_IsString(json)) {
        return false;
    }
    *ret_text = tb_str_of(json->valuestring);
    return true;
}

struct tb_str tb_json_text(const struct cJSON *json, const char *key)
{
    struct tb_str text = {NULL, 0};
    tb_json_str(tb_json_get(json, key), &text);
    return text;
}

bool tb_json_int(const struct cJSON *json, int64_t *ret_value)
{
    const double exact = 9007199254740992.0; /* 2^53 */
    if (!cJSON_IsNumber(json) || !(fabs(json->valuedouble) < exact) ||
        json->valuedouble != trunc(json->valuedouble)) {
        return false;
    }
    *ret_value = (int64_t)json->valuedouble;
    return true;
}

bool tb_json_num(const struct cJSON *json, double *ret_value)
{
    if (!cJSON_IsNumber(json) || !isfinite(json->valuedouble)) {
        return false;
    }
    *ret_value = json->valuedouble;
    return true;
}

bool tb_json_bool(const struct cJSON *json, bool *ret_value)
{
    if (!cJSON_IsBool(json)) {
        return false;
    }
    *ret_value = cJSON_IsTrue(json);
    return true;
}
