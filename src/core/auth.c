/* SPDX-License-Identifier: Apache-2.0 */
#include "core/auth.h"

#include <stdio.h>

#include "base/err.h"
#include "base/id.h"
#include "base/list.h"
#include "base/map.h"
#include "core/limits.h"

/* One peer's wrong guesses within the current window. */
struct offender {
    struct tb_list link; /* oldest window first */
    char peer[48];
    int64_t since_ms;
    unsigned failures;
};

struct tb_auth {
    const struct tb_clock *clock;
    bool has_admin;
    uint8_t admin_hash[TB_HASH_BYTES];
    struct tb_map offenders; /* by peer */
    struct tb_list by_age;
};

struct tb_auth *tb_auth_new(const struct tb_clock *clock)
{
    struct tb_auth *auth = TB_NEW(struct tb_auth);
    auth->clock = clock;
    tb_map_init(&auth->offenders);
    tb_list_init(&auth->by_age);
    return auth;
}

static void forget(struct tb_auth *auth, struct offender *offender)
{
    tb_map_remove(&auth->offenders, tb_str_of(offender->peer));
    tb_list_remove(&offender->link);
    tb_free(offender);
}

static struct offender *oldest(struct tb_auth *auth)
{
    return tb_list_empty(&auth->by_age) ? NULL
                                        : TB_CONTAINER(auth->by_age.next, struct offender, link);
}

void tb_auth_free(struct tb_auth *auth)
{
    if (!auth) {
        return;
    }
    while (oldest(auth)) {
        forget(auth, oldest(auth));
    }
    tb_map_fini(&auth->offenders);
    tb_free(auth);
}

void tb_auth_set_admin(struct tb_auth *auth, struct tb_str token)
{
    tb_token_hash(token, auth->admin_hash);
    auth->has_admin = true;
}

static bool is_right(const struct tb_auth *auth, struct tb_str token)
{
    uint8_t hash[TB_HASH_BYTES];
    tb_token_hash(token, hash);
    return auth->has_admin && tb_hash_eq(hash, auth->admin_hash);
}

/* Windows that are over, and the oldest ones while there are too many peers. */
static void prune(struct tb_auth *auth, int64_t now_ms)
{
    struct offender *old;
    while ((old = oldest(auth)) && (now_ms - old->since_ms >= TB_AUTH_WINDOW_MS ||
                                    auth->offenders.count >= TB_AUTH_PEERS)) {
        forget(auth, old);
    }
}

static unsigned count_failure(struct tb_auth *auth, const char *peer)
{
    int64_t now_ms = tb_clock_mono_ms(auth->clock);
    prune(auth, now_ms);
    struct offender *offender = tb_map_get(&auth->offenders, tb_str_of(peer));
    if (!offender) {
        offender = TB_NEW(struct offender);
        snprintf(offender->peer, sizeof(offender->peer), "%s", peer);
        offender->since_ms = now_ms;
        tb_list_append(&auth->by_age, &offender->link);
        tb_map_add(&auth->offenders, tb_str_of(offender->peer), offender);
    }
    return ++offender->failures;
}

int tb_auth_check(struct tb_auth *auth, const char *peer, struct tb_str token)
{
    if (token.len == 0) {
        return TB_E_UNAUTHORIZED;
    }
    if (is_right(auth, token)) {
        return 0;
    }
    return count_failure(auth, peer) > TB_AUTH_FAILURES ? TB_E_RATE : TB_E_UNAUTHORIZED;
}
