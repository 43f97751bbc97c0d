/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that a person gives the daemon once and that agents use by their names: {{secret:name}}
 * in a text that is typed stands for a value, {{totp:name}} for the one-time code of the moment.
 *
 * A secret belongs to a tenant, has a name and the domains where it may be typed. In the store and
 * in memory all of it is sealed with the installation's secret, bound to tenant and name; the value
 * is opened only to be typed (tb_secrets_fill_in), and nothing else gives it out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/gate.h"

struct cJSON;
struct tb_core;
struct tb_json_writer;
struct tb_mask;
struct tb_secrets;

enum {
    TB_SECRET_NAME_SIZE = 65,
    TB_SECRET_VALUE_MIN = 4, /* characters; fewer could not be kept out of replies */
    TB_SECRET_VALUE_MAX = 4096,
    TB_SECRET_DOMAINS_MAX = 32,
    TB_SECRETS_MAX = 1000,       /* of a tenant */
    TB_SESSION_SECRETS_MAX = 64, /* typed in one session, whose record names them */
};

/* Empty until they are loaded. */
struct tb_secrets *tb_secrets_new(struct tb_core *core);
void tb_secrets_free(struct tb_secrets *secrets);
/* Reads those of the store; once. Until they are there, none is filled in or changed. If the store
 * fails it is tried again. */
void tb_secrets_load(struct tb_secrets *secrets);
/* They are not being read just now. */
bool tb_secrets_loaded(const struct tb_secrets *secrets);
/* The store has lost all: they are put again. */
void tb_secrets_store_again(struct tb_secrets *secrets);

/* Whose a secret is and who changes it; the gate opens when that is stored. */
struct tb_secret_change {
    const char *tenant;
    struct tb_str name;
    const char *agent; /* for the log */
    struct tb_gate *gate;
};

/* Adds or replaces one: {"value", "domains": [...], "totp": true, "replace": true}. TB_E_PARAMS
 * with words that do not repeat the value; TB_E_EXISTS if a password would become a seed, or a seed
 * a password, without "replace"; TB_E_STORE until all are loaded. */
int tb_secrets_set(struct tb_secrets *secrets, const struct tb_secret_change *change,
                   const struct cJSON *spec, struct tb_err *err);
/* TB_E_SECRET_NOT_FOUND; TB_E_STORE until all are loaded. */
int tb_secrets_remove(struct tb_secrets *secrets, const struct tb_secret_change *change,
                      struct tb_err *err);
/* Frees what was parsed from such a text, without leaving its "value" in memory. */
void tb_secret_wipe(struct cJSON *plain);
TB_DEFINE_AUTO(struct cJSON *, tb_secret_wipe)
/* An array of those of a tenant: {"name", "kind", "domains", "changed_at"}. */
void tb_secrets_list(const struct tb_secrets *secrets, const char *tenant,
                     struct tb_json_writer *json);

/* core/secrets_fill.c */

/* Gives a mask the values that it misses; one that was removed since is missed no more. TB_E_STORE
 * until all are loaded. */
int tb_secrets_recall(struct tb_secrets *secrets, const char *tenant, struct tb_mask *mask,
                      struct tb_err *err);
/* Whether a text asks for any. */
bool tb_secrets_wanted(struct tb_str text);

/* Who wants secrets, and for where. */
struct tb_secret_use {
    const char *tenant;
    const struct tb_str *origins; /* of the field's document, then of those around it */
    size_t origin_count;
    struct tb_mask *mask; /* is told what was filled in */
    /* For the log: in which session and for whom; the gate waits for the entry. */
    const char *session_id;
    const char *session;
    bool hidden; /* that session is private */
    const char *agent;
    struct tb_gate *gate;
};

/* Appends the text with its secrets to `out`. Each of the origins must be within their domains.
 * TB_E_SECRET_NOT_FOUND, TB_E_SECRET_SITE, TB_E_STORE, TB_E_TOO_LARGE; TB_E_LIMIT of more than
 * TB_SECRET_USES_MAX placeholders. */
int tb_secrets_fill_in(struct tb_secrets *secrets, const struct tb_secret_use *use,
                       struct tb_str text, struct tb_buf *out, struct tb_err *err);
