/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/memory.h"

#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "core/audit_chain.h"
#include "core/core.h"
#include "core/limits.h"
#include "store/claims.h"
#include "store/memory/shelf.h"
#include "store/memory/topics.h"
#include "store/pack.h"
#include "store/query.h"
#include "store/read.h"

struct entry {
    struct tb_list link;
    struct tb_audit_entry entry; /* its texts are in `bytes` */
    struct tb_buf bytes;
};

/* What all cores on it share. */
struct memory {
    struct tb_list nodes;
    struct tb_shelf spaces[TB_SPACE_COUNT];
    struct tb_list log; /* oldest first */
    int64_t last_seq;
    uint8_t last_hash[TB_HASH_BYTES];
    struct tb_claims claims;
    struct tb_topics topics;
};

/* A core on it: the state of an open store. */
struct node {
    struct tb_list link;
    struct tb_core *core;
    struct memory *memory;
    struct tb_list reads;
    struct tb_topics_end topics;
};

static struct memory *memory_of(void *state)
{
    return ((struct node *)state)->memory;
}

static struct node *add_node(struct memory *memory, struct tb_core *core)
{
    struct node *node = TB_NEW(struct node);
    node->core = core;
    node->memory = memory;
    tb_list_init(&node->reads);
    tb_topics_join(&memory->topics, &node->topics, core->loop);
    tb_list_append(&memory->nodes, &node->link);
    return node;
}

static void *open_memory(struct tb_core *core, struct tb_err *err)
{
    (void)err;
    struct memory *memory = TB_NEW(struct memory);
    for (int i = 0; i < TB_SPACE_COUNT; i++) {
        tb_shelf_init(&memory->spaces[i]);
    }
    tb_list_init(&memory->nodes);
    tb_list_init(&memory->log);
    tb_claims_init(&memory->claims);
    tb_topics_init(&memory->topics);
    return add_node(memory, core);
}

void *tb_memory_join(void *state, struct tb_core *core)
{
    return add_node(memory_of(state), core);
}

static void free_entry(struct entry *entry)
{
    tb_list_remove(&entry->link);
    tb_buf_fini(&entry->bytes);
    tb_free(entry);
}

static void drop_read(struct tb_store_read *read)
{
    tb_read_fini(read);
    tb_free(read);
}

struct claim {
    struct tb_store_read read;
    struct memory *memory;
    char *key;
    size_t key_len;
};

static void drop_claim(struct tb_store_read *read)
{
    struct claim *mine = TB_CONTAINER(read, struct claim, read);
    if (read->epoch) {
        const struct tb_fence fence = {{mine->key, mine->key_len}, read->epoch};
        tb_claims_release(&mine->memory->claims, &fence);
    }
    tb_read_fini(read);
    tb_free(mine->key);
    tb_free(mine);
}

static void free_memory(struct memory *memory)
{
    for (int i = 0; i < TB_SPACE_COUNT; i++) {
        tb_shelf_fini(&memory->spaces[i]);
    }
    while (!tb_list_empty(&memory->log)) {
        free_entry(TB_CONTAINER(memory->log.next, struct entry, link));
    }
    tb_claims_fini(&memory->claims);
    tb_free(memory);
}

static void close_memory(void *state)
{
    struct node *node = state;
    struct memory *memory = node->memory;
    while (!tb_list_empty(&node->reads)) {
        struct tb_store_read *read = TB_CONTAINER(node->reads.next, struct tb_store_read, link);
        read->drop(read);
    }
    tb_topics_leave(&node->topics);
    tb_list_remove(&node->link);
    tb_free(node);
    if (tb_list_empty(&memory->nodes)) {
        free_memory(memory);
    }
}

static int check_size(size_t size, size_t max, struct tb_err *err)
{
    if (size <= max) {
        return 0;
    }
    return tb_fail(err, TB_E_TOO_LARGE,
                   "a record of %zu bytes is too large to store; the limit is %zu bytes", size,
                   max);
}

static int check_record(enum tb_space space, struct tb_str key, struct tb_str value,
                        struct tb_err *err)
{
    return check_size(key.len + value.len,
                      tb_space_light(space) ? TB_RECORD_LIGHT_MAX : TB_RECORD_MAX, err);
}

static int64_t now_ms(const struct node *node)
{
    return tb_clock_mono_ms(node->core->clock);
}

static int check_fence(const struct node *node, const struct tb_fence *fence, struct tb_err *err)
{
    return fence ? tb_claims_check(&node->memory->claims, fence, now_ms(node), err) : 0;
}

static void put(void *state, enum tb_space space, struct tb_str key, struct tb_str value,
                const struct tb_fence *fence, struct tb_gate *gate)
{
    struct memory *memory = memory_of(state);
    struct tb_err err;
    if (check_fence(state, fence, &err) < 0 || check_record(space, key, value, &err) < 0) {
        tb_gate_fail(gate, &err);
        return;
    }
    tb_shelf_put(&memory->spaces[space], key, value);
}

static void remove_record(void *state, enum tb_space space, struct tb_str key,
                          const struct tb_fence *fence, struct tb_gate *gate)
{
    struct memory *memory = memory_of(state);
    struct tb_err err;
    if (check_fence(state, fence, &err) < 0) {
        tb_gate_fail(gate, &err);
        return;
    }
    tb_shelf_remove(&memory->spaces[space], key);
}

static void append(void *state, const struct tb_audit_entry *given, struct tb_gate *gate)
{
    struct memory *memory = memory_of(state);
    struct entry *entry = TB_NEW(struct entry);
    struct tb_audit_entry linked = *given;
    linked.seq = memory->last_seq + 1;
    tb_audit_link(((struct node *)state)->core->secret, memory->last_hash, &linked, linked.hash);
    tb_buf_init(&entry->bytes, SIZE_MAX);
    tb_pack_entry(&entry->bytes, &linked);
    struct tb_err err;
    if (check_size(entry->bytes.len, TB_RECORD_LIGHT_MAX, &err) < 0) {
        tb_gate_fail(gate, &err);
        free_entry(entry);
        return;
    }
    struct tb_unpack unpack = {.rest = tb_buf_str(&entry->bytes)};
    tb_unpack_entry(&unpack, &entry->entry);
    tb_list_append(&memory->log, &entry->link);
    memory->last_seq = linked.seq;
    memcpy(memory->last_hash, linked.hash, TB_HASH_BYTES);
}

static void cut(void *state, int64_t wall_ms, int64_t count, struct tb_gate *gate)
{
    struct memory *memory = memory_of(state);
    (void)gate;
    while (!tb_list_empty(&memory->log)) {
        struct entry *oldest = TB_CONTAINER(memory->log.next, struct entry, link);
        bool surplus = count && oldest->entry.seq <= memory->last_seq - count;
        if (!surplus && oldest->entry.wall_ms >= wall_ms) {
            return;
        }
        free_entry(oldest);
    }
}

/* What is found is packed at once and handed out from the loop. */
static void hand_out_later(struct node *node, struct tb_store_read *read)
{
    tb_list_append(&node->reads, &read->link);
    tb_read_end_later(read, node->core->loop);
}

static struct tb_store_read *begin_read(struct node *node, tb_store_end_fn *end, void *user)
{
    struct tb_store_read *read = TB_NEW(struct tb_store_read);
    tb_read_init(read, drop_read, end, user);
    hand_out_later(node, read);
    return read;
}

static struct tb_store_read *put_new(void *state, enum tb_space space, struct tb_str key,
                                     struct tb_str value, tb_store_end_fn *end, void *user)
{
    struct memory *memory = memory_of(state);
    struct tb_store_read *read = begin_read(state, end, user);
    if (check_record(space, key, value, &read->err) < 0) {
        return read;
    }
    if (tb_shelf_get(&memory->spaces[space], key)) {
        tb_fail(&read->err, TB_E_EXISTS, "there is such a record already");
    } else {
        tb_shelf_put(&memory->spaces[space], key, value);
    }
    return read;
}

static void pack_record(struct tb_buf *rows, const struct tb_shelf_record *record)
{
    tb_pack_str(rows, record->key);
    tb_pack_str(rows, record->value);
}

static struct tb_store_read *get(void *state, enum tb_space space, struct tb_str key,
                                 tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    struct memory *memory = memory_of(state);
    struct tb_store_read *read = begin_read(state, end, user);
    const struct tb_shelf_record *found = tb_shelf_get(&memory->spaces[space], key);
    read->record = record;
    if (found) {
        pack_record(&read->rows, found);
    } else {
        tb_fail(&read->err, TB_E_NOT_FOUND, "there is no such record");
    }
    return read;
}

static struct tb_store_read *each(void *state, enum tb_space space, const struct tb_range *range,
                                  tb_store_record_fn *record, tb_store_end_fn *end, void *user)
{
    static const struct tb_range all = {0};
    struct memory *memory = memory_of(state);
    range = range ? range : &all;
    int64_t left = range->limit ? range->limit : INT64_MAX;
    int in = 1;
    struct tb_store_read *read = begin_read(state, end, user);
    read->record = record;
    for (const struct tb_shelf_record *one =
             tb_shelf_seek(&memory->spaces[space], tb_range_start(range));
         one && left > 0 && in >= 0; one = one->next[0]) {
        in = tb_range_has(range, one->key);
        if (in > 0) {
            pack_record(&read->rows, one);
            left--;
        }
    }
    return read;
}

static struct tb_store_read *audit(void *state, const struct tb_audit_query *query,
                                   tb_store_entry_fn *entry, tb_store_end_fn *end, void *user)
{
    struct memory *memory = memory_of(state);
    struct tb_store_read *read = begin_read(state, end, user);
    int64_t left = query->limit ? query->limit : INT64_MAX;
    read->entry = entry;
    const struct tb_list *log = &memory->log;
    for (const struct tb_list *link = query->newest_first ? log->prev : log->next;
         link != log && left > 0; link = query->newest_first ? link->prev : link->next) {
        const struct tb_audit_entry *one = &TB_CONTAINER(link, struct entry, link)->entry;
        bool inside =
            one->seq > query->after_seq && (query->before_seq == 0 || one->seq < query->before_seq);
        if (inside && tb_query_fits(query, one)) {
            tb_pack_entry(&read->rows, one);
            left--;
        }
    }
    return read;
}

static struct tb_store_read *claim(void *state, struct tb_str key, struct tb_str node,
                                   int64_t ttl_ms, tb_store_claim_fn *fn, void *user)
{
    struct claim *mine = TB_NEW(struct claim);
    struct tb_store_read *read = &mine->read;
    tb_read_init(read, drop_claim, NULL, user);
    hand_out_later(state, read);
    read->claim = fn;
    mine->memory = memory_of(state);
    mine->key = tb_str_dup(key);
    mine->key_len = key.len;
    tb_claims_take(&mine->memory->claims, key, node, now_ms(state), ttl_ms, &read->epoch,
                   &read->err);
    return read;
}

static struct tb_store_read *renew(void *state, const struct tb_fence *fence, int64_t ttl_ms,
                                   tb_store_end_fn *end, void *user)
{
    struct tb_store_read *read = begin_read(state, end, user);
    tb_claims_renew(&memory_of(state)->claims, fence, now_ms(state), ttl_ms, &read->err);
    return read;
}

static void release(void *state, const struct tb_fence *fence)
{
    tb_claims_release(&memory_of(state)->claims, fence);
}

static int publish(void *state, struct tb_str topic, struct tb_str bytes, struct tb_err *err)
{
    return tb_topics_publish(&memory_of(state)->topics, topic, bytes, err);
}

static struct tb_store_subscription *subscribe(void *state, struct tb_str topic,
                                               tb_store_message_fn *fn, void *user,
                                               struct tb_err *err)
{
    return tb_topics_subscribe(&((struct node *)state)->topics, topic, fn, user, err);
}

static bool ready(void *state, struct tb_err *err)
{
    (void)state;
    (void)err;
    return true;
}

const struct tb_store_kind tb_store_memory = {
    .name = "memory",
    .abilities = TB_STORE_SHARED | TB_STORE_TOPICS,
    .open = open_memory,
    .close = close_memory,
    .put = put,
    .put_new = put_new,
    .remove = remove_record,
    .append = append,
    .cut = cut,
    .claim = claim,
    .renew = renew,
    .release = release,
    .get = get,
    .each = each,
    .audit = audit,
    .cancel = tb_read_cancel,
    .publish = publish,
    .subscribe = subscribe,
    .unsubscribe = tb_topics_unsubscribe,
    .ready = ready,
};
