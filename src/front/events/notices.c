/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/notices.h"

#include <assert.h>

#include "base/mem.h"

void tb_notices_init(struct tb_notices *notices, size_t cap, size_t bytes_max)
{
    *notices = (struct tb_notices){.cap = cap, .bytes_max = bytes_max, .first = 1, .next = 1};
    notices->items = TB_NEW_ARRAY(struct tb_notice *, cap);
}

void tb_notices_fini(struct tb_notices *notices)
{
    struct tb_notice *notice;
    while ((notice = tb_notices_pop(notices))) {
        tb_notice_unref(notice, "kept");
    }
    tb_free(notices->items);
    notices->items = NULL;
}

static struct tb_notice **place(const struct tb_notices *notices, uint64_t position)
{
    return &notices->items[position % notices->cap];
}

static size_t cost(const struct tb_notice *notice)
{
    return sizeof(*notice) + notice->text_len;
}

size_t tb_notices_add(struct tb_notices *notices, struct tb_notice *notice)
{
    size_t gone = 0;
    while (notices->next - notices->first >= notices->cap ||
           (notices->first < notices->next && notices->bytes + cost(notice) > notices->bytes_max)) {
        tb_notice_unref(tb_notices_pop(notices), "kept");
        gone++;
    }
    *place(notices, notices->next++) = tb_notice_ref(notice, "kept");
    notices->bytes += cost(notice);
    return gone;
}

const struct tb_notice *tb_notices_at(const struct tb_notices *notices, uint64_t position)
{
    assert(position >= notices->first && position < notices->next);
    return *place(notices, position);
}

struct tb_notice *tb_notices_pop(struct tb_notices *notices)
{
    if (notices->first == notices->next) {
        return NULL;
    }
    struct tb_notice *notice = *place(notices, notices->first++);
    notices->bytes -= cost(notice);
    return notice;
}
