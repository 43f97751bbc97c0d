/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/query.h"

#include <ctype.h>
#include <stdio.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/limits.h"
#include "front/target.h"

enum {
    NAME_MAX = 64,
};

/* No parameter of ours needs an escape. */
static bool is_plain(struct tb_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!isalnum((unsigned char)name.ptr[i]) && name.ptr[i] != '_') {
            return false;
        }
    }
    return name.len > 0 && name.len < NAME_MAX;
}

static size_t times(struct tb_str query, struct tb_str name)
{
    size_t count = 0;
    while (query.len) {
        struct tb_str value = tb_str_cut(&query, '&');
        count += tb_str_eq(tb_str_cut(&value, '='), name);
    }
    return count;
}

static int put_one(struct tb_str query, struct tb_str name, struct tb_json_writer *json,
                   struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf value = TB_BUF(TB_HTTP_HEAD_MAX);
    struct tb_quoted shown;
    char key[NAME_MAX];
    if (!is_plain(name)) {
        return tb_fail(err, TB_E_PARAMS, "unknown query parameter %s", tb_quoted(&shown, name, 80));
    }
    if (times(query, name) > 1) {
        return tb_fail(err, TB_E_PARAMS, "the query has %s more than once",
                       tb_quoted(&shown, name, 80));
    }
    snprintf(key, sizeof(key), "%.*s", TB_STR_ARG(name));
    if (tb_target_query(query, key, &value) < 0) {
        return tb_fail(err, TB_E_INVALID, "the query string is malformed");
    }
    tb_json_member_str(json, key, tb_buf_str(&value));
    return 0;
}

int tb_rest_query_json(struct tb_str query, struct tb_buf *out, struct tb_err *err)
{
    struct tb_json_writer json;
    struct tb_str rest = query;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    while (rest.len) {
        struct tb_str value = tb_str_cut(&rest, '&');
        struct tb_str name = tb_str_cut(&value, '=');
        int rc = name.len || value.len ? put_one(query, name, &json, err) : 0;
        if (rc < 0) {
            return rc;
        }
    }
    tb_json_object_close(&json);
    return json.rc;
}
