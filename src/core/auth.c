/* SPDX-License-Identifier: Apache-2.0 */
#include "core/auth.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/id.h"
#include "base/list.h"
#include "base/map.h"
#include "core/limits.h"
#include "io/timer.h"

/* One peer's wrong guesses within the current window. */
struct offender {
    struct tb_list link; /* oldest window first */
    char peer[48];
    int64_t since_ms;
    unsigned failures;
};

/* One secret and whom it stands for. */
struct entry {
    struct tb_list link;
    struct tb_auth *auth;
    struct tb_principal *principal;
    uint8_t hash[TB_HASH_BYTES];
    struct tb_timer expiry;
};

struct tb_auth {
    struct tb_loop *loop;
    struct tb_map by_hash;
    struct tb_list entries;
    struct tb_list revoked; /* nobody finds them; `job` ends what they have under way */
    struct tb_deferred job;
    struct tb_principal *same_user;
    struct tb_principal *nobody;
    struct tb_map offenders; /* by peer */
    struct tb_list by_age;
};

static struct entry *entry_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct entry, link);
}

static struct tb_str hash_str(const struct entry *entry)
{
    return (struct tb_str){(const char *)entry->hash, sizeof(entry->hash)};
}

static void entry_free(struct entry *entry)
{
    tb_list_remove(&entry->link);
    tb_timer_fini(&entry->expiry);
    tb_principal_unref(entry->principal, "credential");
    tb_free(entry);
}

static void on_revoked(struct tb_deferred *job)
{
    struct tb_auth *auth = TB_CONTAINER(job, struct tb_auth, job);
    while (!tb_list_empty(&auth->revoked)) {
        struct entry *entry = entry_of(auth->revoked.next);
        tb_principal_revoke(entry->principal);
        entry_free(entry);
    }
}

struct tb_auth *tb_auth_new(struct tb_loop *loop)
{
    static const struct tb_principal_spec same_user = {
        .tenant = "default", .key = "local", .label = TB_OPERATOR, .scopes = TB_SCOPES_ALL};
    static const struct tb_principal_spec nobody = {.tenant = "default", .key = "", .label = ""};
    struct tb_auth *auth = TB_NEW(struct tb_auth);
    auth->loop = loop;
    auth->same_user = tb_principal_new(&same_user);
    auth->nobody = tb_principal_new(&nobody);
    auth->job.run = on_revoked;
    tb_map_init(&auth->by_hash);
    tb_list_init(&auth->entries);
    tb_list_init(&auth->revoked);
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
    tb_deferred_cancel(&auth->job);
    tb_list_splice(&auth->entries, &auth->revoked);
    while (!tb_list_empty(&auth->entries)) {
        entry_free(entry_of(auth->entries.next));
    }
    tb_principal_unref(auth->same_user, "auth");
    tb_principal_unref(auth->nobody, "auth");
    tb_map_fini(&auth->by_hash);
    while (oldest(auth)) {
        forget(auth, oldest(auth));
    }
    tb_map_fini(&auth->offenders);
    tb_free(auth);
}

/* Nothing begins with it from here on; only the end of what is live waits for the job. */
static void revoke(struct entry *entry)
{
    struct tb_auth *auth = entry->auth;
    entry->principal->revoked = true;
    tb_map_remove(&auth->by_hash, hash_str(entry));
    tb_list_remove(&entry->link);
    tb_list_append(&auth->revoked, &entry->link);
    tb_timer_stop(&entry->expiry);
    tb_loop_defer(auth->loop, &auth->job);
}

void tb_auth_revoke(struct tb_auth *auth, const char *key)
{
    LIST_FOREACH_SAFE(link, &auth->entries) {
        if (strcmp(entry_of(link)->principal->key, key) == 0) {
            revoke(entry_of(link));
        }
    }
}

/* At most 0: its time is over; INT64_MAX: that never comes. */
static int64_t left_ms(const struct entry *entry)
{
    int64_t expires_ms = entry->principal->expires_ms;
    return expires_ms ? expires_ms - tb_clock_wall_ms(tb_loop_clock(entry->auth->loop)) : INT64_MAX;
}

/* The wall clock may have been set since. */
static void mind_expiry(struct entry *entry)
{
    int64_t wait_ms = left_ms(entry);
    if (wait_ms > 0) {
        tb_timer_start(&entry->expiry, wait_ms);
    } else {
        revoke(entry);
    }
}

static void on_expiry(struct tb_timer *timer, void *user)
{
    (void)timer;
    mind_expiry(user);
}

int tb_auth_add(struct tb_auth *auth, const struct tb_principal_spec *spec, struct tb_str secret)
{
    /* Cut, it would be another's. */
    if (strlen(spec->tenant) >= TB_TENANT_SIZE || strlen(spec->key) >= TB_KEY_SIZE) {
        return TB_E_PARAMS;
    }
    struct entry *entry = TB_NEW(struct entry);
    entry->auth = auth;
    entry->principal = tb_principal_new(spec);
    tb_token_hash(secret, entry->hash);
    struct entry *same = tb_map_get(&auth->by_hash, hash_str(entry));
    if (same) {
        revoke(same);
    }
    tb_auth_revoke(auth, spec->key);
    tb_timer_init(&entry->expiry, auth->loop, on_expiry, entry);
    tb_list_append(&auth->entries, &entry->link);
    tb_map_add(&auth->by_hash, hash_str(entry), entry);
    if (spec->expires_ms) {
        mind_expiry(entry);
    }
    return 0;
}

void tb_auth_set_admin(struct tb_auth *auth, struct tb_str token)
{
    static const struct tb_principal_spec admin = {
        .tenant = "default", .key = "admin", .label = TB_OPERATOR, .scopes = TB_SCOPES_ALL};
    tb_auth_add(auth, &admin, token);
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
    int64_t now_ms = tb_loop_now_ms(auth->loop);
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

/* The hash is what is compared: how long that takes tells nothing about a secret. */
static struct tb_principal *find(const struct tb_auth *auth, struct tb_str secret)
{
    uint8_t hash[TB_HASH_BYTES];
    tb_token_hash(secret, hash);
    struct entry *entry =
        tb_map_get(&auth->by_hash, (struct tb_str){(const char *)hash, sizeof(hash)});
    if (entry && left_ms(entry) <= 0) {
        revoke(entry); /* its timer does not run while the machine sleeps */
        return NULL;
    }
    return entry ? entry->principal : NULL;
}

int tb_auth_find(struct tb_auth *auth, const char *peer, enum tb_credential credential,
                 struct tb_str secret, struct tb_principal **ret_principal)
{
    if (credential == TB_CREDENTIAL_NONE || credential == TB_CREDENTIAL_SAME_USER) {
        *ret_principal = credential == TB_CREDENTIAL_NONE ? auth->nobody : auth->same_user;
        return 0;
    }
    if (credential != TB_CREDENTIAL_BEARER || secret.len == 0) {
        return TB_E_UNAUTHORIZED;
    }
    struct tb_principal *found = find(auth, secret);
    if (found) {
        *ret_principal = found;
        return 0;
    }
    return count_failure(auth, peer) > TB_AUTH_FAILURES ? TB_E_RATE : TB_E_UNAUTHORIZED;
}
