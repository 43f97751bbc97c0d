/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/pick.h"

#include <string.h>

#include "proto/json_iter.h"
#include "proto/json_string.h"

void tb_cdp_pick_all(struct tb_str object, const char *const *keys, size_t count,
                     struct tb_str *ret_values)
{
    struct tb_json_iter iter = tb_json_iter_of(object);
    struct tb_json_item item;
    memset(ret_values, 0, count * sizeof(*ret_values));
    while (tb_json_iter_next(&iter, &item)) {
        for (size_t i = 0; i < count && item.key.ptr; i++) {
            if (!ret_values[i].len && tb_json_string_eq(item.key, tb_str_of(keys[i]))) {
                ret_values[i] = item.value.text;
                break;
            }
        }
    }
}

struct tb_str tb_cdp_pick(struct tb_str object, const char *key)
{
    struct tb_json_iter iter = tb_json_iter_of(object);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        if (item.key.ptr && tb_json_string_eq(item.key, tb_str_of(key))) {
            return item.value.text;
        }
    }
    return (struct tb_str){NULL, 0};
}

int tb_cdp_object_context(struct tb_str object_id)
{
    uint64_t context = 0;
    tb_str_cut(&object_id, '.');
    tb_str_to_u64(tb_str_cut(&object_id, '.'), &context);
    return context < 1u << 30 ? (int)context : 0;
}
