/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/refs.h"

#include "driver/cdp/memory.h"
#include "driver/cdp/opwork.h"

void tb_refs_continue(struct tb_opwork *work, struct tb_buf *args)
{
    args->len--; /* the closing brace */
    if (args->len > 1) {
        tb_buf_append_char(args, ',');
    }
    if (work->frame) {
        tb_buf_printf(args, "\"prefix\":\"f%u\",", work->frame);
    }
    tb_buf_printf(args, "\"first_ref\":%lld}",
                  (long long)tb_memory_of(work->session)->last_ref + 1);
}

void tb_refs_note(struct tb_opwork *work, struct tb_str last)
{
    struct tb_memory *memory = tb_memory_of(work->session);
    uint64_t number = 0;
    if (tb_str_to_u64(last, &number) && number < INT64_MAX / 2 &&
        (int64_t)number > memory->last_ref) {
        memory->last_ref = (int64_t)number;
    }
}
