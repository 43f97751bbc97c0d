/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/change.h"

#include "store/pack.h"

void tb_change_pack(const struct tb_change *change, struct tb_buf *out)
{
    tb_pack_num(out, change->kind);
    switch (change->kind) {
    case TB_CHANGE_PUT:
    case TB_CHANGE_PUT_NEW:
        tb_pack_str(out, change->space);
        tb_pack_str(out, change->key);
        tb_pack_str(out, change->value);
        break;
    case TB_CHANGE_REMOVE:
        tb_pack_str(out, change->space);
        tb_pack_str(out, change->key);
        break;
    case TB_CHANGE_APPEND:
        tb_pack_entry(out, &change->entry);
        break;
    case TB_CHANGE_CUT:
        tb_pack_num(out, change->wall_ms);
        tb_pack_num(out, change->count);
        break;
    }
}

struct tb_str tb_change_record(const struct tb_change *change, struct tb_str bytes)
{
    size_t from = sizeof(int64_t); /* behind the kind */
    size_t len = 2 * sizeof(uint32_t) + change->space.len + change->key.len;
    return change->space.len ? tb_str_sub(bytes, from, from + len) : (struct tb_str){0};
}

int tb_change_unpack(struct tb_str bytes, struct tb_change *ret_change)
{
    struct tb_unpack unpack = {.rest = bytes};
    int64_t kind = tb_unpack_num(&unpack);
    struct tb_change change = {.kind = (enum tb_change_kind)kind};
    switch (kind) {
    case TB_CHANGE_PUT:
    case TB_CHANGE_PUT_NEW:
        change.space = tb_unpack_str(&unpack);
        change.key = tb_unpack_str(&unpack);
        change.value = tb_unpack_str(&unpack);
        break;
    case TB_CHANGE_REMOVE:
        change.space = tb_unpack_str(&unpack);
        change.key = tb_unpack_str(&unpack);
        break;
    case TB_CHANGE_APPEND:
        tb_unpack_entry(&unpack, &change.entry);
        break;
    case TB_CHANGE_CUT:
        change.wall_ms = tb_unpack_num(&unpack);
        change.count = tb_unpack_num(&unpack);
        break;
    default:
        return TB_E_INVALID;
    }
    if (unpack.bad || unpack.rest.len) {
        return TB_E_INVALID;
    }
    *ret_change = change;
    return 0;
}
