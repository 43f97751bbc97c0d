/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of a daemon: the operator's, which is the section `policy` of the settings, and
 * those of tenants, which are records of the space POLICY. While those cannot be read, tenants may
 * do nothing: nobody knows what they must not.
 *
 * Whoever may `operate` sets every tenant's policy, whoever may `admin` its own tenant's. Since all
 * parts of a set must allow, that can only narrow what the operator's allows. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "core/gate.h"
#include "core/policy.h"
#include "core/principal.h"

struct tb_config;
struct tb_core;
struct tb_policies;

/* The settings make a policy. TB_E_CONFIG. */
int tb_policies_check(const struct tb_config *config, struct tb_err *err);
/* With the operator's policy of the settings, which were checked. */
struct tb_policies *tb_policies_new(struct tb_core *core);
void tb_policies_free(struct tb_policies *policies);
/* The settings have changed. Sessions on pages that are not allowed any more end. */
void tb_policies_reload(struct tb_policies *policies);
/* Reads the tenants' policies; if the store fails it is tried again. */
void tb_policies_load(struct tb_policies *policies);
/* All are here. TB_E_STORE otherwise; the words are the rest of a sentence about a tool. */
int tb_policies_ready(const struct tb_policies *policies, struct tb_err *err);
/* They are not being read just now. */
bool tb_policies_loaded(const struct tb_policies *policies);
/* The store has lost all: they are put again. */
void tb_policies_store_again(struct tb_policies *policies);
/* There is such a tenant. From the second one on, private networks are out of reach by default. */
void tb_policies_note_tenant(struct tb_policies *policies, const char *tenant);

/* What holds for all of a tenant, borrowed until the next turn of the loop; nothing if `policies`
 * is NULL. */
struct tb_policy_set tb_policies_of(const struct tb_policies *policies, const char *tenant);
/* Of sessions of the toolset octopus, by its settings; NULL: it limits nothing. */
const struct tb_policy *tb_policies_of_octopus(const struct tb_policies *policies);
/* The reply waits at `gate` until it is stored; it holds at once, and sessions on pages that are
 * not allowed any more end. TB_E_PARAMS, TB_E_NOT_FOUND (another tenant's), TB_E_FORBIDDEN,
 * TB_E_STORE. */
int tb_policies_put(struct tb_policies *policies, const struct tb_principal *by,
                    struct tb_str tenant, const struct cJSON *json, struct tb_gate *gate,
                    struct tb_err *err);
/* TB_E_NOT_FOUND if it has none. */
int tb_policies_remove(struct tb_policies *policies, const struct tb_principal *by,
                       struct tb_str tenant, struct tb_gate *gate, struct tb_err *err);
/* {"tenant","policy","operator"}; null where there is none. TB_E_NOT_FOUND. */
int tb_policies_print(const struct tb_policies *policies, const struct tb_principal *by,
                      struct tb_str tenant, struct tb_json_writer *json, struct tb_err *err);
/* {"url","allowed","reason"}: what holds for all of a tenant's sessions. TB_E_NOT_FOUND,
 * TB_E_BAD_URL. */
int tb_policies_try(const struct tb_policies *policies, const struct tb_principal *by,
                    struct tb_str tenant, struct tb_str url, struct tb_json_writer *json,
                    struct tb_err *err);
