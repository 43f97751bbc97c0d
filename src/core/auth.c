/* SPDX-License-Identifier: Apache-2.0 */
#include "core/auth.h"

#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "core/limits.h"
#include "io/timer.h"

enum {
    LOOK_MS = 10 * 1000, /* how often the wall clock is asked whether a credential's time is over */
};

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
    bool expired; /* which is why it is revoked */
};

/* A principal of the operator in the name of another tenant. Whoever calls again must be the same
 * principal, so it stays as long as the one behind it. */
struct guise {
    struct tb_list link;
    const struct tb_principal *behind;
    struct tb_principal *principal;
};

struct tb_auth {
    struct tb_loop *loop;
    struct tb_map by_hash;
    struct tb_map by_key;
    struct tb_list entries;
    struct tb_list revoked; /* nobody finds them; `job` ends what they have under way */
    struct tb_deferred job;
    struct tb_principal *same_user;
    struct tb_principal *nobody;
    struct tb_list guises;
    size_t guise_count;
    bool incomplete;
    struct tb_timer expiry; /* when the first credential may be over; not armed if all last */
    void (*on_expired)(const char *key, void *user);
    void *expired_user;
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
    tb_principal_unref(entry->principal, "credential");
    tb_free(entry);
}

static void guise_free(struct tb_auth *auth, struct guise *guise)
{
    tb_list_remove(&guise->link);
    auth->guise_count--;
    tb_principal_unref(guise->principal, "guise");
    tb_free(guise);
}

static struct guise *guise_of(const struct tb_auth *auth, const struct tb_principal *behind,
                              struct tb_str tenant)
{
    LIST_FOREACH(link, &auth->guises) {
        struct guise *guise = TB_CONTAINER(link, struct guise, link);
        if (guise->behind == behind &&
            (!tenant.ptr || tb_str_eq_cstr(tenant, guise->principal->tenant))) {
            return guise;
        }
    }
    return NULL;
}

static void end_guises(struct tb_auth *auth, const struct tb_principal *behind)
{
    struct guise *guise;
    while ((guise = guise_of(auth, behind, (struct tb_str){0}))) {
        tb_principal_revoke(guise->principal);
        guise_free(auth, guise);
    }
}

static void on_revoked(struct tb_deferred *job)
{
    struct tb_auth *auth = TB_CONTAINER(job, struct tb_auth, job);
    while (!tb_list_empty(&auth->revoked)) {
        struct entry *entry = entry_of(auth->revoked.next);
        bool tell = entry->expired && auth->on_expired;
        char key[TB_KEY_SIZE];
        snprintf(key, sizeof(key), "%s", entry->principal->key);
        tb_principal_revoke(entry->principal);
        end_guises(auth, entry->principal);
        entry_free(entry);
        if (tell) {
            auth->on_expired(key, auth->expired_user);
        }
    }
}

static void on_expiry(struct tb_timer *timer, void *user);

struct tb_auth *tb_auth_new(struct tb_loop *loop)
{
    static const struct tb_principal_spec same_user = {
        .tenant = TB_TENANT_DEFAULT, .key = "local", .label = TB_OPERATOR, .scopes = TB_SCOPES_ALL};
    static const struct tb_principal_spec nobody = {
        .tenant = TB_TENANT_DEFAULT, .key = "", .label = ""};
    struct tb_auth *auth = TB_NEW(struct tb_auth);
    auth->loop = loop;
    auth->same_user = tb_principal_new(&same_user);
    auth->nobody = tb_principal_new(&nobody);
    auth->job.run = on_revoked;
    tb_timer_init(&auth->expiry, loop, on_expiry, auth);
    tb_map_init(&auth->by_hash);
    tb_map_init(&auth->by_key);
    tb_list_init(&auth->entries);
    tb_list_init(&auth->revoked);
    tb_list_init(&auth->guises);
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
    tb_timer_fini(&auth->expiry);
    tb_list_splice(&auth->entries, &auth->revoked);
    while (!tb_list_empty(&auth->entries)) {
        entry_free(entry_of(auth->entries.next));
    }
    LIST_FOREACH_SAFE(link, &auth->guises) {
        guise_free(auth, TB_CONTAINER(link, struct guise, link));
    }
    tb_principal_unref(auth->same_user, "auth");
    tb_principal_unref(auth->nobody, "auth");
    tb_map_fini(&auth->by_hash);
    tb_map_fini(&auth->by_key);
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
    LIST_FOREACH(link, &auth->guises) {
        struct guise *guise = TB_CONTAINER(link, struct guise, link);
        guise->principal->revoked = guise->principal->revoked || guise->behind == entry->principal;
    }
    tb_map_remove(&auth->by_hash, hash_str(entry));
    tb_map_remove(&auth->by_key, tb_str_of(entry->principal->key));
    tb_list_remove(&entry->link);
    tb_list_append(&auth->revoked, &entry->link);
    tb_loop_defer(auth->loop, &auth->job);
}

void tb_auth_revoke(struct tb_auth *auth, const char *key)
{
    struct entry *entry = tb_map_get(&auth->by_key, tb_str_of(key));
    if (entry) {
        revoke(entry);
    }
}

/* At most 0: its time is over; INT64_MAX: that never comes. */
static int64_t left_ms(const struct entry *entry)
{
    int64_t expires_ms = entry->principal->expires_ms;
    return expires_ms ? expires_ms - tb_clock_wall_ms(tb_loop_clock(entry->auth->loop)) : INT64_MAX;
}

static void expire(struct entry *entry)
{
    entry->expired = true;
    revoke(entry);
}

/* The wall clock may be set, and the machine may sleep, while the timer runs. */
static void mind_expiry(struct entry *entry)
{
    struct tb_timer *timer = &entry->auth->expiry;
    int64_t wait_ms = left_ms(entry);
    wait_ms = wait_ms < LOOK_MS ? wait_ms : LOOK_MS;
    if (wait_ms <= 0) {
        expire(entry);
    } else if (!tb_timer_armed(timer) ||
               timer->due_ms > tb_loop_now_ms(entry->auth->loop) + wait_ms) {
        tb_timer_start(timer, wait_ms);
    }
}

/* One for all: thousands of keys are one look at the clock. */
static void on_expiry(struct tb_timer *timer, void *user)
{
    struct tb_auth *auth = user;
    (void)timer;
    LIST_FOREACH_SAFE(link, &auth->entries) {
        if (entry_of(link)->principal->expires_ms) {
            mind_expiry(entry_of(link));
        }
    }
}

int tb_auth_add_hash(struct tb_auth *auth, const struct tb_principal_spec *spec,
                     const uint8_t hash[TB_HASH_BYTES])
{
    /* Cut, it would be another's. */
    if (strlen(spec->tenant) >= TB_TENANT_SIZE || strlen(spec->key) >= TB_KEY_SIZE) {
        return TB_E_PARAMS;
    }
    struct entry *entry = TB_NEW(struct entry);
    entry->auth = auth;
    entry->principal = tb_principal_new(spec);
    memcpy(entry->hash, hash, sizeof(entry->hash));
    struct entry *same = tb_map_get(&auth->by_hash, hash_str(entry));
    if (same) {
        revoke(same);
    }
    tb_auth_revoke(auth, spec->key);
    tb_list_append(&auth->entries, &entry->link);
    tb_map_add(&auth->by_hash, hash_str(entry), entry);
    tb_map_add(&auth->by_key, tb_str_of(entry->principal->key), entry);
    if (spec->expires_ms) {
        mind_expiry(entry);
    }
    return 0;
}

int tb_auth_add(struct tb_auth *auth, const struct tb_principal_spec *spec, struct tb_str secret)
{
    uint8_t hash[TB_HASH_BYTES];
    tb_token_hash(secret, hash);
    return tb_auth_add_hash(auth, spec, hash);
}

struct tb_principal *tb_auth_of_key(const struct tb_auth *auth, const char *key)
{
    const struct entry *entry = tb_map_get(&auth->by_key, tb_str_of(key));
    return entry ? entry->principal : NULL;
}

void tb_auth_on_expired(struct tb_auth *auth, void (*fn)(const char *key, void *user), void *user)
{
    auth->on_expired = fn;
    auth->expired_user = user;
}

void tb_auth_set_incomplete(struct tb_auth *auth, bool incomplete)
{
    auth->incomplete = incomplete;
}

int tb_auth_as(struct tb_auth *auth, struct tb_principal *who, struct tb_str tenant,
               struct tb_principal **ret_principal, struct tb_err *err)
{
    if (!tb_tenant_name_valid(tenant)) {
        return tb_fail(err, TB_E_PARAMS,
                       "a tenant's name has 1 to %d characters, each a lower-case letter, a digit, "
                       "'_' or '-', and does not begin with '-'",
                       TB_TENANT_SIZE - 1);
    }
    if (tb_str_eq_cstr(tenant, who->tenant)) {
        *ret_principal = who;
        return 0;
    }
    if (!tb_principal_may(who, TB_SCOPE_OPERATE)) {
        return tb_fail(err, TB_E_FORBIDDEN,
                       "this key belongs to one tenant and cannot act for another");
    }
    struct guise *guise = guise_of(auth, who, tenant);
    if (!guise && auth->guise_count >= TB_AUTH_GUISES) {
        return tb_fail(
            err, TB_E_LIMIT,
            "the operator has acted for too many tenants without keys; make a key for each, or "
            "restart the daemon");
    }
    if (!guise) {
        TB_AUTO(tb_free) char *name = tb_str_dup(tenant);
        guise = TB_NEW(struct guise);
        guise->behind = who;
        guise->principal = tb_principal_new(&(struct tb_principal_spec){
            .tenant = name, .key = who->key, .label = who->label, .scopes = who->scopes});
        tb_list_append(&auth->guises, &guise->link);
        auth->guise_count++;
    }
    *ret_principal = guise->principal;
    return 0;
}

void tb_auth_set_admin(struct tb_auth *auth, struct tb_str token)
{
    static const struct tb_principal_spec admin = {
        .tenant = TB_TENANT_DEFAULT, .key = "admin", .label = TB_OPERATOR, .scopes = TB_SCOPES_ALL};
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
        expire(entry); /* its timer does not run while the machine sleeps */
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
        found->used_ms = tb_clock_wall_ms(tb_loop_clock(auth->loop));
        *ret_principal = found;
        return 0;
    }
    if (auth->incomplete) {
        return TB_E_STORE;
    }
    return count_failure(auth, peer) > TB_AUTH_FAILURES ? TB_E_RATE : TB_E_UNAUTHORIZED;
}
