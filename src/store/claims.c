/* SPDX-License-Identifier: Apache-2.0 */
#include "store/claims.h"

#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "core/limits.h"

enum {
    SWEEP_MIN = 64,
};

struct claim {
    struct tb_list link; /* while it is swept */
    struct tb_str key;
    char *node;
    int64_t epoch;
    int64_t until_ms;
    char bytes[]; /* of the key */
};

static void claim_free(struct claim *claim)
{
    if (claim) {
        tb_free(claim->node);
        tb_free(claim);
    }
}

void tb_claims_init(struct tb_claims *claims)
{
    *claims = (struct tb_claims){.sweep_at = SWEEP_MIN};
    tb_map_init(&claims->held);
}

void tb_claims_fini(struct tb_claims *claims)
{
    MAP_FOREACH(slot, &claims->held) {
        claim_free(slot->value);
    }
    tb_map_fini(&claims->held);
}

static struct claim *find(const struct tb_claims *claims, struct tb_str key, int64_t now_ms)
{
    struct claim *claim = tb_map_get(&claims->held, key);
    return claim && claim->until_ms > now_ms ? claim : NULL;
}

/* Those that nobody released. Their number doubles before they are looked for again, so a claim
 * costs no more for it. */
static void sweep(struct tb_claims *claims, int64_t now_ms)
{
    struct tb_list over;
    struct tb_list *link;
    if (claims->held.count < claims->sweep_at) {
        return;
    }
    tb_list_init(&over);
    MAP_FOREACH(slot, &claims->held) {
        struct claim *claim = slot->value;
        if (claim->until_ms <= now_ms) {
            tb_list_append(&over, &claim->link);
        }
    }
    while ((link = tb_list_pop(&over))) {
        struct claim *claim = TB_CONTAINER(link, struct claim, link);
        claim_free(tb_map_remove(&claims->held, claim->key));
    }
    claims->sweep_at = 2 * claims->held.count < SWEEP_MIN ? SWEEP_MIN : 2 * claims->held.count;
}

static int64_t end_of(int64_t now_ms, int64_t ttl_ms)
{
    int64_t until_ms;
    return __builtin_add_overflow(now_ms, ttl_ms, &until_ms) ? INT64_MAX : until_ms;
}

int tb_claims_take(struct tb_claims *claims, struct tb_str key, struct tb_str node, int64_t now_ms,
                   int64_t ttl_ms, int64_t *ret_epoch, struct tb_err *err)
{
    if (key.len > TB_CLAIM_KEY_MAX || node.len > TB_NODE_NAME_MAX) {
        return tb_fail(err, TB_E_TOO_LARGE,
                       "a claim's key of %zu bytes, by a node's name of %zu, is too long; the "
                       "limits are %d and %d",
                       key.len, node.len, TB_CLAIM_KEY_MAX, TB_NODE_NAME_MAX);
    }
    const struct claim *held = find(claims, key, now_ms);
    if (held) {
        return tb_fail(err, TB_E_EXISTS, "node %s holds %.*s", held->node, TB_STR_ARG(key));
    }
    sweep(claims, now_ms);
    claim_free(tb_map_remove(&claims->held, key));
    struct claim *claim = tb_zalloc(sizeof(*claim) + key.len);
    memcpy(claim->bytes, key.ptr, key.len);
    claim->key = (struct tb_str){claim->bytes, key.len};
    claim->node = tb_str_dup(node);
    claim->epoch = ++claims->last_epoch;
    claim->until_ms = end_of(now_ms, ttl_ms);
    tb_map_add(&claims->held, claim->key, claim);
    *ret_epoch = claim->epoch;
    return 0;
}

static struct claim *find_fence(const struct tb_claims *claims, const struct tb_fence *fence,
                                int64_t now_ms, struct tb_err *err)
{
    struct claim *claim = find(claims, fence->key, now_ms);
    if (claim && claim->epoch == fence->epoch) {
        return claim;
    }
    tb_fail(err, TB_E_FENCED, "the claim on %.*s has run out%s%s", TB_STR_ARG(fence->key),
            claim ? "; it is now held by node " : "", claim ? claim->node : "");
    return NULL;
}

int tb_claims_renew(struct tb_claims *claims, const struct tb_fence *fence, int64_t now_ms,
                    int64_t ttl_ms, struct tb_err *err)
{
    struct claim *claim = find_fence(claims, fence, now_ms, err);
    if (!claim) {
        return TB_E_FENCED;
    }
    claim->until_ms = end_of(now_ms, ttl_ms);
    return 0;
}

int tb_claims_check(const struct tb_claims *claims, const struct tb_fence *fence, int64_t now_ms,
                    struct tb_err *err)
{
    return find_fence(claims, fence, now_ms, err) ? 0 : TB_E_FENCED;
}

void tb_claims_release(struct tb_claims *claims, const struct tb_fence *fence)
{
    const struct claim *claim = tb_map_get(&claims->held, fence->key);
    if (claim && claim->epoch == fence->epoch) {
        claim_free(tb_map_remove(&claims->held, fence->key));
    }
}
