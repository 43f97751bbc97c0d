/* SPDX-License-Identifier: Apache-2.0 */
/* API keys: credentials that are made and revoked while the daemon runs. The text of a key is
 * "tbk_" + id + "_" + 256 random bits; it is shown once, and only its hash is stored, in a record
 * of the space KEY. core/auth.c knows the hash and lets in whoever has the text.
 *
 *   making -> active -> expired
 *               |          |
 *               +----------+--> revoked (nobody gets in) -> gone, when the store has it
 *
 * Whoever may `operate` manages all keys; whoever may `admin` those of its own tenant, with scopes
 * that it has itself. To anybody else a key is not there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/gate.h"
#include "core/principal.h"

struct tb_core;
struct tb_keys;

enum {
    TB_KEY_ID_SIZE = 17, /* TB_KEY_PREFIX, 12 characters and a NUL */
    TB_KEY_TEXT_SIZE = TB_KEY_ID_SIZE + TB_TOKEN_SIZE,
    TB_KEY_SCOPES = TB_SCOPE_OBSERVE | TB_SCOPE_ACT | TB_SCOPE_ADMIN, /* that one can have */
};

struct tb_key_spec {
    struct tb_str tenant;
    struct tb_str label; /* for people; may be empty */
    unsigned scopes;
    int64_t expires_ms; /* wall clock; 0: never */
    struct tb_quota quota;
    struct tb_policy *policy; /* borrowed; NULL: none of its own */
};

#define TB_KEY_PREFIX "tbk_"

/* The id in the text of a key, which everybody may see; empty: it is none. */
struct tb_str tb_key_id_of(struct tb_str text);

struct tb_keys *tb_keys_new(struct tb_core *core);
void tb_keys_free(struct tb_keys *keys);
/* Reads the stored keys; until they are there, core/auth.c says so to whoever shows an unknown one.
 * If the store fails it is tried again. */
void tb_keys_load(struct tb_keys *keys);
/* They are not being read just now. */
bool tb_keys_loaded(const struct tb_keys *keys);
/* The store has lost all: they are put again. */
void tb_keys_store_again(struct tb_keys *keys);

/* The bits of a list such as "act,observe". Whoever acts or administers has to look, so both
 * bring observe along. TB_E_PARAMS. */
int tb_key_scopes(struct tb_str list, unsigned *scopes, struct tb_err *err);
/* Makes a key and appends what is known of it, with its text as "key", to the reply, which waits at
 * `gate` until it is stored. TB_E_PARAMS, TB_E_SCOPE, TB_E_LIMIT, TB_E_STORE. */
int tb_keys_create(struct tb_keys *keys, const struct tb_principal *by,
                   const struct tb_key_spec *spec, struct tb_gate *gate,
                   struct tb_json_writer *json, struct tb_err *err);
/* Nobody gets in with it from here on, and what is live in its name ends before the next turn. The
 * gate hears if the store did not take it; then it is tried again. TB_E_NOT_FOUND. */
int tb_keys_revoke(struct tb_keys *keys, const struct tb_principal *by, struct tb_str id,
                   struct tb_gate *gate, struct tb_err *err);
/* {"keys":[...]}: those that the caller manages, oldest first, without text or hash. */
void tb_keys_list(const struct tb_keys *keys, const struct tb_principal *by,
                  struct tb_json_writer *json);
