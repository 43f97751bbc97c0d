/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read.h"

#include "base/mem.h"
#include "store/pack.h"

static void on_job(struct tb_deferred *job)
{
    struct tb_store_read *read = TB_CONTAINER(job, struct tb_store_read, job);
    read->busy = true;
    tb_read_hand_out(read);
    tb_read_end(read);
}

void tb_read_init(struct tb_store_read *read, void (*drop)(struct tb_store_read *read),
                  tb_store_end_fn *end, void *user)
{
    *read = (struct tb_store_read){.end = end, .user = user, .drop = drop, .job.run = on_job};
    tb_list_init(&read->link);
    tb_buf_init(&read->rows, SIZE_MAX);
}

void tb_read_fini(struct tb_store_read *read)
{
    tb_list_remove(&read->link);
    tb_deferred_cancel(&read->job);
    tb_buf_fini(&read->rows);
}

void tb_read_hand_out(struct tb_store_read *read)
{
    struct tb_unpack unpack = {.rest = tb_buf_str(&read->rows)};
    while (unpack.rest.len && !read->cancelled) {
        if (read->entry) {
            struct tb_audit_entry entry;
            tb_unpack_entry(&unpack, &entry);
            read->entry(&entry, read->user);
        } else {
            struct tb_str key = tb_unpack_str(&unpack);
            struct tb_str value = tb_unpack_str(&unpack);
            read->record(key, value, read->user);
        }
    }
    tb_buf_clear(&read->rows);
}

void tb_read_end(struct tb_store_read *read)
{
    read->busy = true; /* whoever hears of it may cancel, which is too late */
    const struct tb_err *err = read->err.code ? &read->err : NULL;
    if (!read->cancelled && read->claim) {
        int64_t epoch = read->epoch;
        read->epoch = 0; /* it is the node's now */
        read->claim(err, epoch, read->user);
    } else if (!read->cancelled) {
        read->end(err, read->user);
    }
    read->drop(read);
}

void tb_read_end_later(struct tb_store_read *read, struct tb_loop *loop)
{
    tb_loop_defer(loop, &read->job);
}

void tb_read_cancel(struct tb_store_read *read)
{
    if (!read) {
        return;
    }
    read->cancelled = true;
    if (!read->busy) {
        read->drop(read);
    }
}
