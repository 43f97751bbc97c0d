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

void tb_refs_told(struct tb_memory *memory, const struct cJSON *last)
{
    int64_t number = 0;
    if (tb_json_int(last, &number) && number > memory->last_ref && number < INT64_MAX / 2) {
        memory->last_ref = number;
    }
}

void tb_refs_note(struct tb_opwork *work, const struct cJSON *reply)
{
    tb_refs_told(tb_memory_of(work->session), tb_json_get(reply, "last"));
}

void tb_refs_note_text(struct tb_opwork *work, struct tb_str last)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(last);
    tb_refs_told(tb_memory_of(work->session), json);
}
