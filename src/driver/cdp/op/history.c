/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/history.h"

#include <stdint.h>
#include <stdio.h>

#include "base/json.h"

struct tb_str tb_cdp_history_step(struct tb_str history, bool back,
                                  char ret_params[TB_CDP_HISTORY_PARAMS])
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(history);
    int64_t at = 0;
    tb_json_int(tb_json_get(json, "currentIndex"), &at);
    at += back ? -1 : 1;
    int64_t index = 0;
    int64_t id = -1;
    JSON_ARRAY_FOREACH(entry, tb_json_get(json, "entries")) {
        if (index++ == at) {
            tb_json_int(tb_json_get(entry, "id"), &id);
        }
    }
    if (id < 0) {
        return (struct tb_str){NULL, 0};
    }
    int len = snprintf(ret_params, TB_CDP_HISTORY_PARAMS, "{\"entryId\":%lld}", (long long)id);
    return (struct tb_str){ret_params, (size_t)len};
}
