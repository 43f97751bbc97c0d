/* SPDX-License-Identifier: Apache-2.0 */
/* One process has this store, so its memory knows all claims: after a restart none holds, since the
 * only process that could hold one is gone and the lock of the directory keeps out any other. Only
 * epochs must not come twice. The database knows up to which number they may have been given, a
 * block at a time, so that a claim costs no write of its own:
 *
 *   unknown --the first claim--> reading --> ready --block used up--> reserving --> ready
 *
 * After a failure those who wait are told, and the next claim tries again. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "store/read.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/state.h"

enum {
    BLOCK = 1000,
};

struct claim {
    struct tb_store_read read;
    struct tb_sqlite *store;
    char *key;
    size_t key_len;
    char *node;
    int64_t ttl_ms;
};

static void drop_claim(struct tb_store_read *read)
{
    struct claim *mine = TB_CONTAINER(read, struct claim, read);
    if (read->epoch) {
        const struct tb_fence fence = {{mine->key, mine->key_len}, read->epoch};
        tb_claims_release(&mine->store->claims.held, &fence);
    }
    tb_read_fini(read);
    tb_free(mine->key);
    tb_free(mine->node);
    tb_free(mine);
}

/* It is decided; the answer comes from the loop. */
static void answer(struct tb_sqlite *store, struct tb_store_read *read)
{
    tb_list_remove(&read->link);
    tb_list_append(&store->answers, &read->link);
    tb_read_end_later(read, store->core->loop);
}

static int64_t now_ms(const struct tb_sqlite *store)
{
    return tb_clock_mono_ms(store->core->clock);
}

static void decide_first(struct tb_sqlite *store)
{
    struct tb_store_read *read =
        TB_CONTAINER(store->claims.waiting.next, struct tb_store_read, link);
    const struct claim *mine = TB_CONTAINER(read, struct claim, read);
    tb_claims_take(&store->claims.held, (struct tb_str){mine->key, mine->key_len},
                   tb_str_of(mine->node), now_ms(store), mine->ttl_ms, &read->epoch, &read->err);
    answer(store, read);
}

static void fail_all(struct tb_sqlite *store, const struct tb_err *err)
{
    struct tb_list *waiting = &store->claims.waiting;
    while (!tb_list_empty(waiting)) {
        struct tb_store_read *read = TB_CONTAINER(waiting->next, struct tb_store_read, link);
        read->err = *err;
        answer(store, read);
    }
}

static void go(struct tb_sqlite *store);

static void write_reserved(struct tb_sqlite *store, int64_t number, struct tb_gate *gate)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRId64, number);
    tb_store_sqlite.put(store, TB_SPACE_EPOCH, TB_STR("last"), (struct tb_str){text, (size_t)len},
                        NULL, gate);
}

static void on_reserved(struct tb_gate *gate)
{
    struct tb_sqlite_claims *claims = TB_CONTAINER(gate, struct tb_sqlite_claims, gate);
    struct tb_sqlite *store = TB_CONTAINER(claims, struct tb_sqlite, claims);
    claims->state = TB_CLAIMS_READY;
    if (gate->err.code) {
        fail_all(store, &gate->err);
        return;
    }
    claims->reserved = claims->held.last_epoch + BLOCK;
    go(store);
}

static void reserve(struct tb_sqlite *store)
{
    struct tb_sqlite_claims *claims = &store->claims;
    claims->state = TB_CLAIMS_RESERVING;
    tb_gate_init(&claims->gate, on_reserved);
    write_reserved(store, claims->held.last_epoch + BLOCK, &claims->gate);
    if (!tb_gate_shut(&claims->gate)) {
        on_reserved(&claims->gate);
    }
}

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_sqlite *store = user;
    uint64_t number = 0;
    (void)key;
    store->claims.damaged = !tb_str_to_u64(value, &number) || number > INT64_MAX / 2;
    store->claims.reserved = (int64_t)number;
}

static void on_read(const struct tb_err *err, void *user)
{
    struct tb_sqlite *store = user;
    struct tb_sqlite_claims *claims = &store->claims;
    struct tb_err damage;
    if (claims->damaged) {
        tb_fail(&damage, TB_E_STORE,
                "%s does not say which epoch was the last: restore it from a copy", store->path);
        err = &damage;
    }
    bool first = err && err->code == TB_E_NOT_FOUND;
    claims->state = err && !first ? TB_CLAIMS_UNKNOWN : TB_CLAIMS_READY;
    if (claims->state == TB_CLAIMS_UNKNOWN) {
        fail_all(store, err);
        return;
    }
    claims->held.last_epoch = claims->reserved;
    go(store);
}

/* Those who wait, as far as there are epochs for them. */
static void go(struct tb_sqlite *store)
{
    struct tb_sqlite_claims *claims = &store->claims;
    while (!tb_list_empty(&claims->waiting) && claims->state == TB_CLAIMS_READY) {
        if (claims->held.last_epoch < claims->reserved) {
            decide_first(store);
        } else {
            reserve(store);
        }
    }
    if (!tb_list_empty(&claims->waiting) && claims->state == TB_CLAIMS_UNKNOWN) {
        claims->state = TB_CLAIMS_READING;
        claims->damaged = false;
        claims->reserved = 0;
        tb_reader_get(store, TB_SPACE_EPOCH, TB_STR("last"), on_record, on_read, store);
    }
}

static struct claim *new_claim(struct tb_sqlite *store, tb_store_end_fn *end, void *user)
{
    struct claim *mine = TB_NEW(struct claim);
    mine->store = store;
    tb_read_init(&mine->read, drop_claim, end, user);
    return mine;
}

struct tb_store_read *tb_sqlite_claim(void *state, struct tb_str key, struct tb_str node,
                                      int64_t ttl_ms, tb_store_claim_fn *fn, void *user)
{
    struct tb_sqlite *store = state;
    struct claim *mine = new_claim(store, NULL, user);
    mine->read.claim = fn;
    mine->key = tb_str_dup(key);
    mine->key_len = key.len;
    mine->node = tb_str_dup(node);
    mine->ttl_ms = ttl_ms;
    tb_list_append(&store->claims.waiting, &mine->read.link);
    go(store);
    return &mine->read;
}

struct tb_store_read *tb_sqlite_renew(void *state, const struct tb_fence *fence, int64_t ttl_ms,
                                      tb_store_end_fn *end, void *user)
{
    struct tb_sqlite *store = state;
    struct claim *mine = new_claim(store, end, user);
    tb_claims_renew(&store->claims.held, fence, now_ms(store), ttl_ms, &mine->read.err);
    answer(store, &mine->read);
    return &mine->read;
}

void tb_sqlite_release(void *state, const struct tb_fence *fence)
{
    struct tb_sqlite *store = state;
    tb_claims_release(&store->claims.held, fence);
}

bool tb_sqlite_fenced(const struct tb_sqlite *store, const struct tb_fence *fence,
                      struct tb_gate *gate)
{
    struct tb_err err;
    if (!fence || tb_claims_check(&store->claims.held, fence, now_ms(store), &err) == 0) {
        return false;
    }
    tb_gate_fail(gate, &err);
    return true;
}

void tb_sqlite_claims_init(struct tb_sqlite *store)
{
    tb_claims_init(&store->claims.held);
    tb_list_init(&store->claims.waiting);
    tb_gate_init(&store->claims.gate, on_reserved);
}

void tb_sqlite_claims_fini(struct tb_sqlite *store)
{
    struct tb_sqlite_claims *claims = &store->claims;
    tb_gate_fini(&claims->gate);
    while (!tb_list_empty(&claims->waiting)) {
        drop_claim(TB_CONTAINER(claims->waiting.next, struct tb_store_read, link));
    }
    tb_claims_fini(&claims->held);
}

void tb_sqlite_claims_replaced(struct tb_sqlite *store)
{
    const struct tb_sqlite_claims *claims = &store->claims;
    if (claims->state == TB_CLAIMS_RESERVING) {
        /* A higher number is on its way, and must not be followed by a lower one. */
        write_reserved(store, claims->held.last_epoch + BLOCK, NULL);
    } else if (claims->state == TB_CLAIMS_READY && claims->reserved) {
        write_reserved(store, claims->reserved, NULL);
    }
}
