/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/refs.h"

#include <stdio.h>

#include "driver/cdp/memory.h"
#include "driver/cdp/opwork.h"

static struct tb_tab_memory *tab_of(struct tb_opwork *work)
{
    return tb_memory_tab(tb_memory_of(work->session), work->page_id);
}

static void ignore(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    (void)code;
    (void)value;
    (void)err;
    (void)user;
}

void tb_refs_continue(struct tb_opwork *work)
{
    struct tb_page *page = tb_opwork_page(work);
    struct tb_frame *frame = page ? tb_page_frame_by_number(page, work->frame) : NULL;
    struct tb_tab_memory *tab = tab_of(work);
    if (!frame || !tab->last_ref ||
        (!work->frame && tab->refs_mark == tb_page_navigation_mark(page))) {
        return; /* the document that gave the last ones */
    }
    char args[64];
    int len = work->frame
                  ? snprintf(args, sizeof(args), "{prefix:'f%u',first:%lld}", work->frame,
                             (long long)tab->last_ref + 1)
                  : snprintf(args, sizeof(args), "{first:%lld}", (long long)tab->last_ref + 1);
    /* It changes nothing in a document that has given refs already. */
    tb_page_call(frame, "setup", (struct tb_str){args, (size_t)len}, work->deadline_ms, ignore,
                 NULL);
}

void tb_refs_note(struct tb_opwork *work, struct tb_str last)
{
    struct tb_tab_memory *tab = tab_of(work);
    struct tb_page *page = tb_opwork_page(work);
    uint64_t number = 0;
    if (tb_str_to_u64(last, &number) && (int64_t)number > tab->last_ref) {
        tab->last_ref = (int64_t)number;
    }
    if (page && !work->frame) {
        tab->refs_mark = tb_page_navigation_mark(page);
    }
}
