/* SPDX-License-Identifier: Apache-2.0 */
/* Queries: what is taken is an object of texts, in which no name stands twice. */
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "core/limits.h"
#include "front/rest/query.h"
#include "proto/json_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check(struct tb_str json)
{
    const struct tb_json_limits limits = {.depth_max = 1};
    struct tb_map names;
    must(tb_json_scan(json, &limits, NULL, 0, NULL) == TB_JSON_OBJECT);
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(json);
    tb_map_init(&names);
    JSON_ARRAY_FOREACH(item, tree) {
        struct tb_str value;
        must(tb_json_str(item, &value));
        must(tb_map_add(&names, tb_str_of(tb_json_name(item)), tree) == 0);
    }
    tb_map_fini(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TB_AUTO(tb_buf_fini) struct tb_buf json = TB_BUF(TB_MIB);
    struct tb_err err = {0};
    if (tb_rest_query_json((struct tb_str){(const char *)data, size}, &json, &err) == 0) {
        check(tb_buf_str(&json));
    } else {
        must(err.code < 0);
    }
    return 0;
}
