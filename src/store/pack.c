/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pack.h"

#include <string.h>

void tb_pack_num(struct tb_buf *out, int64_t number)
{
    tb_buf_append(out, &number, sizeof(number));
}

void tb_pack_str(struct tb_buf *out, struct tb_str text)
{
    uint32_t len = (uint32_t)text.len;
    tb_buf_append(out, &len, sizeof(len));
    tb_buf_append_str(out, text);
}

void tb_pack_entry(struct tb_buf *out, const struct tb_audit_entry *entry)
{
    tb_pack_num(out, entry->seq);
    tb_pack_num(out, entry->wall_ms);
    tb_pack_str(out, entry->type);
    tb_pack_str(out, entry->tenant);
    tb_pack_str(out, entry->session);
    tb_pack_str(out, entry->agent);
    tb_pack_str(out, entry->tool);
    tb_pack_str(out, entry->outcome);
    tb_pack_str(out, entry->details);
    tb_buf_append(out, entry->hash, sizeof(entry->hash));
}

static void take(struct tb_unpack *unpack, void *ret_data, size_t len)
{
    if (unpack->rest.len < len) {
        unpack->bad = true;
        unpack->rest = (struct tb_str){NULL, 0};
        memset(ret_data, 0, len);
        return;
    }
    memcpy(ret_data, unpack->rest.ptr, len);
    unpack->rest = tb_str_sub(unpack->rest, len, unpack->rest.len);
}

int64_t tb_unpack_num(struct tb_unpack *unpack)
{
    int64_t number;
    take(unpack, &number, sizeof(number));
    return number;
}

struct tb_str tb_unpack_str(struct tb_unpack *unpack)
{
    uint32_t len;
    take(unpack, &len, sizeof(len));
    if (unpack->rest.len < len) {
        unpack->bad = true;
        unpack->rest = (struct tb_str){NULL, 0};
        return unpack->rest;
    }
    struct tb_str text = tb_str_sub(unpack->rest, 0, len);
    unpack->rest = tb_str_sub(unpack->rest, len, unpack->rest.len);
    return text;
}

void tb_unpack_entry(struct tb_unpack *unpack, struct tb_audit_entry *ret_entry)
{
    ret_entry->seq = tb_unpack_num(unpack);
    ret_entry->wall_ms = tb_unpack_num(unpack);
    ret_entry->type = tb_unpack_str(unpack);
    ret_entry->tenant = tb_unpack_str(unpack);
    ret_entry->session = tb_unpack_str(unpack);
    ret_entry->agent = tb_unpack_str(unpack);
    ret_entry->tool = tb_unpack_str(unpack);
    ret_entry->outcome = tb_unpack_str(unpack);
    ret_entry->details = tb_unpack_str(unpack);
    take(unpack, ret_entry->hash, sizeof(ret_entry->hash));
}
