/* SPDX-License-Identifier: Apache-2.0 */
/* The table of secrets from the inside: core/secrets.c keeps it, core/secrets_fill.c fills in. */
#pragma once

#include <stddef.h>

#include "base/map.h"
#include "base/mem.h"
#include "core/principal.h"
#include "core/secrets.h"
#include "io/timer.h"

struct cJSON;
struct tb_store_read;

enum {
    TB_SECRET_KEY_SIZE = TB_TENANT_SIZE + TB_SECRET_NAME_SIZE,
};

struct tb_secret {
    char key[TB_SECRET_KEY_SIZE]; /* "tenant/name", as in the store */
    size_t tenant_len;
    bool totp;
    struct cJSON *domains; /* texts in canonical form */
    int64_t changed_ms;    /* wall clock */
    char *sealed;          /* all of it */
};

struct tb_secrets {
    struct tb_core *core;
    struct tb_map by_key;
    bool loaded;
    struct tb_store_read *read; /* of the store, under way; NULL: none is */
    struct tb_timer timer;      /* the next attempt */
};

static inline const char *tb_secret_name(const struct tb_secret *secret)
{
    return secret->key + secret->tenant_len + 1;
}

/* TB_E_STORE until all that the store has are here: nobody can say before what there is. */
int tb_secrets_ready(const struct tb_secrets *secrets, struct tb_err *err);
/* TB_E_PARAMS for what is no name. */
int tb_secret_key(const char *tenant, struct tb_str name, char ret_key[TB_SECRET_KEY_SIZE],
                  struct tb_err *err);
/* TB_E_SECRET_NOT_FOUND, in words that name it and nothing else. */
int tb_secret_fail_unknown(struct tb_str name, struct tb_err *err);
/* What was sealed, with its "value". NULL: it was not sealed here, or for another tenant or name.
 */
struct cJSON *tb_secret_open(const struct tb_secrets *secrets, const char *key,
                             struct tb_str sealed);
