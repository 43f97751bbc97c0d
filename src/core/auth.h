/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials: which there are, and which principal each stands for. Only hashes of secrets are
 * kept. A peer that fails too often is told to wait, so that guessing is slow; a right secret
 * always passes, so that one bad neighbour on the same address cannot lock others out. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/principal.h"
#include "io/loop.h"

struct tb_auth;

/* How a caller shows who it is; a bit each, so that a route can say which it takes. */
enum tb_credential {
    TB_CREDENTIAL_NONE = 0,
    TB_CREDENTIAL_BEARER = 1,    /* Authorization: Bearer */
    TB_CREDENTIAL_SAME_USER = 2, /* the daemon's own user at the Unix socket; has no secret */
    /* The token as the parameter `token`, for WebSockets of pages, which can set no headers. What
     * takes it is never logged with its query. */
    TB_CREDENTIAL_QUERY = 4,
    TB_CREDENTIALS_USUAL = TB_CREDENTIAL_BEARER | TB_CREDENTIAL_SAME_USER,
};

/* There is one of the daemon's own user, with all scopes, and one of nobody in particular, with
 * none. */
struct tb_auth *tb_auth_new(struct tb_loop *loop);
void tb_auth_free(struct tb_auth *auth);
TB_DEFINE_AUTO(struct tb_auth *, tb_auth_free)
/* The operator's token, which may do everything. */
void tb_auth_set_admin(struct tb_auth *auth, struct tb_str token);
/* A further credential; one that has the same key or secret is revoked. TB_E_PARAMS if its tenant's
 * or its own name is too long. */
int tb_auth_add(struct tb_auth *auth, const struct tb_principal_spec *spec, struct tb_str secret);
/* The same by what tb_token_hash gave for its secret. */
int tb_auth_add_hash(struct tb_auth *auth, const struct tb_principal_spec *spec,
                     const uint8_t hash[TB_HASH_BYTES]);
/* The principal of a key, borrowed; NULL: there is none any more. */
struct tb_principal *tb_auth_of_key(const struct tb_auth *auth, const char *key);
/* `fn` hears, from the loop, of each credential whose time is over. */
void tb_auth_on_expired(struct tb_auth *auth, void (*fn)(const char *key, void *user), void *user);
/* Some credentials are not known yet: a secret that nobody has is TB_E_STORE then, and no guess. */
void tb_auth_set_incomplete(struct tb_auth *auth, bool incomplete);
/* The principal is borrowed. TB_E_UNAUTHORIZED if no credential has this secret or it is none of
 * those above, one bit alone; TB_E_RATE if this peer was wrong too often within the last minute. An
 * empty secret counts as none: it is refused but no guess. */
int tb_auth_find(struct tb_auth *auth, const char *peer, enum tb_credential credential,
                 struct tb_str secret, struct tb_principal **ret_principal);
/* A principal that speaks for all tenants, as one of this tenant: the same for the same two, as
 * long as the first is not revoked; borrowed. Anybody may name its own tenant. TB_E_FORBIDDEN if it
 * may not, TB_E_PARAMS for a name that no tenant can have, TB_E_LIMIT. */
int tb_auth_as(struct tb_auth *auth, struct tb_principal *who, struct tb_str tenant,
               struct tb_principal **ret_principal, struct tb_err *err);
/* Nobody gets in with it any more, and nothing begins in its name; what is live ends before the
 * next turn of the loop, so that whoever revokes may itself be called in that name. */
void tb_auth_revoke(struct tb_auth *auth, const char *key);
