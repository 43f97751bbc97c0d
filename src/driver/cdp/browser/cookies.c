/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/cookies.h"

#include "base/json.h"
#include "base/mem.h"

static void put_cookie(const struct cJSON *cookie, struct tb_json_writer *json)
{
    static const char *const names[] = {"name",         "value",      "domain",      "path",
                                        "secure",       "httpOnly",   "sameSite",    "priority",
                                        "sourceScheme", "sourcePort", "partitionKey"};
    double expires = -1;
    tb_json_object_open(json);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const struct cJSON *value = tb_json_get(cookie, names[i]);
        if (value) {
            tb_json_member_tree(json, names[i], value);
        }
    }
    tb_json_num(tb_json_get(cookie, "expires"), &expires);
    if (expires > 0) {
        tb_json_member_num(json, "expires", expires);
    }
    tb_json_object_close(json);
}

int tb_cdp_cookies_put_set(const struct cJSON *state, const char *context_id, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "browserContextId", context_id);
    tb_json_key(&json, "cookies");
    tb_json_array_open(&json);
    JSON_ARRAY_FOREACH(cookie, tb_json_get(state, "cookies")) {
        put_cookie(cookie, &json);
    }
    tb_json_array_close(&json);
    tb_json_object_close(&json);
    return json.rc;
}
