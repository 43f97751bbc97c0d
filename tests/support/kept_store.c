/* SPDX-License-Identifier: Apache-2.0 */
#include "support/kept_store.h"

#include <string.h>

#include "base/mem.h"
#include "core/audit_chain.h"
#include "io/loop.h"

/* Bounds of time and number are all that it knows of a query. */
struct tb_store_read {
    struct tb_deferred job;
    struct kept_store *kept;
    struct tb_audit_query query;
    tb_store_entry_fn *entry;
    tb_store_end_fn *end;
    void *user;
};

struct held {
    struct tb_list link;
    struct tb_hold hold;
};

static void fate(struct kept_store *kept, struct tb_gate *gate)
{
    struct tb_err err;
    if (kept->broken) {
        tb_fail(&err, TB_E_STORE, "%s", kept->broken);
        tb_gate_fail(gate, &err);
    } else if (kept->slow) {
        struct held *held = TB_NEW(struct held);
        tb_list_append(&kept->held, &held->link);
        tb_gate_hold(gate, &held->hold);
    }
}

static void put(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                const struct tb_fence *fence, struct tb_gate *gate)
{
    (void)fence;
    (void)space;
    (void)key;
    (void)value;
    fate(state, gate);
}

static void remove_record(void *state, enum tb_space space, struct tb_str key,
                          const struct tb_fence *fence, struct tb_gate *gate)
{
    (void)fence;
    (void)space;
    (void)key;
    fate(state, gate);
}

static struct tb_str copy(struct tb_str text)
{
    return (struct tb_str){tb_str_dup(text), text.len};
}

static void append(void *state, const struct tb_audit_entry *entry, struct tb_gate *gate)
{
    struct kept_store *kept = state;
    fate(kept, gate);
    if (kept->broken) {
        return;
    }
    struct kept_entry *mine = TB_NEW(struct kept_entry);
    mine->entry = (struct tb_audit_entry){
        .seq = kept->head.seq + 1,
        .wall_ms = entry->wall_ms,
        .type = copy(entry->type),
        .tenant = copy(entry->tenant),
        .session = copy(entry->session),
        .agent = copy(entry->agent),
        .tool = copy(entry->tool),
        .outcome = copy(entry->outcome),
        .details = copy(entry->details),
    };
    tb_audit_link(kept->secret, kept->head.hash, &mine->entry, mine->entry.hash);
    kept->head.seq++;
    memcpy(kept->head.hash, mine->entry.hash, TB_HASH_BYTES);
    tb_audit_seal(kept->secret, TB_AUDIT_HEAD, kept->head.seq, kept->head.hash, kept->head.seal);
    tb_list_append(&kept->entries, &mine->link);
    kept->count++;
}

static void cut(void *state, int64_t wall_ms, int64_t count, struct tb_gate *gate)
{
    struct kept_store *kept = state;
    kept->cut_wall_ms = wall_ms;
    kept->cut_count = count;
    kept->cuts++;
    fate(kept, gate);
}

static void cancel(struct tb_store_read *read)
{
    tb_deferred_cancel(&read->job);
    tb_free(read);
}

static void on_read(struct tb_deferred *job)
{
    struct tb_store_read *read = TB_CONTAINER(job, struct tb_store_read, job);
    const struct tb_list *all = &read->kept->entries;
    const struct tb_audit_query *query = &read->query;
    int64_t left = query->limit ? query->limit : INT64_MAX;
    struct tb_err err;
    for (struct tb_list *link = query->newest_first ? all->prev : all->next;
         link != all && left > 0 && !read->kept->broken;
         link = query->newest_first ? link->prev : link->next) {
        const struct tb_audit_entry *one = &TB_CONTAINER(link, struct kept_entry, link)->entry;
        if (!query->until_wall_ms || one->wall_ms <= query->until_wall_ms) {
            read->entry(one, read->user);
            left--;
        }
    }
    if (read->kept->broken) {
        tb_fail(&err, TB_E_STORE, "%s", read->kept->broken);
    }
    read->end(read->kept->broken ? &err : NULL, read->user);
    cancel(read);
}

static struct tb_store_read *audit(void *state, const struct tb_audit_query *query,
                                   tb_store_entry_fn *entry, tb_store_end_fn *end, void *user)
{
    struct kept_store *kept = state;
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    *read = (struct tb_store_read){.job.run = on_read,
                                   .kept = kept,
                                   .query = *query,
                                   .entry = entry,
                                   .end = end,
                                   .user = user};
    tb_loop_defer(kept->loop, &read->job);
    return read;
}

static bool ready(void *state, struct tb_err *err)
{
    const struct kept_store *kept = state;
    if (kept->unready) {
        tb_fail(err, TB_E_STORE, "the disk is full");
    }
    return !kept->unready;
}

const struct tb_store_kind kept_store_kind = {
    .name = "kept",
    .put = put,
    .remove = remove_record,
    .append = append,
    .cut = cut,
    .audit = audit,
    .cancel = cancel,
    .ready = ready,
};

void kept_init(struct kept_store *kept)
{
    *kept = (struct kept_store){0};
    tb_list_init(&kept->entries);
    tb_list_init(&kept->held);
}

void kept_release(struct kept_store *kept, const struct tb_err *err)
{
    struct tb_list *link;
    while ((link = tb_list_pop(&kept->held))) {
        struct held *held = TB_CONTAINER(link, struct held, link);
        tb_hold_release(&held->hold, err);
        tb_free(held);
    }
}

static void entry_free(struct kept_entry *mine)
{
    const struct tb_str texts[] = {mine->entry.type,   mine->entry.tenant, mine->entry.session,
                                   mine->entry.agent,  mine->entry.tool,   mine->entry.outcome,
                                   mine->entry.details};
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        tb_free((char *)(uintptr_t)texts[i].ptr);
    }
    tb_free(mine);
}

void kept_fini(struct kept_store *kept)
{
    struct tb_list *link;
    kept_release(kept, NULL);
    while ((link = tb_list_pop(&kept->entries))) {
        entry_free(TB_CONTAINER(link, struct kept_entry, link));
    }
}

struct tb_audit_entry *kept_at(struct kept_store *kept, size_t at)
{
    LIST_FOREACH(link, &kept->entries) {
        if (at-- == 0) {
            return &TB_CONTAINER(link, struct kept_entry, link)->entry;
        }
    }
    return NULL;
}
