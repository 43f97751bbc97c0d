/* SPDX-License-Identifier: Apache-2.0 */
#include "core/store.h"

#include <stddef.h>

#include "core/core.h"
#include "core/keys.h"
#include "core/policies.h"
#include "core/secrets.h"
#include "core/sessions.h"

static const struct {
    const char *name;
    bool light;
} spaces[TB_SPACE_COUNT] = {
#define TB_SPACE(NAME, name, light, what) {name, light},
#include "core/spaces.def"
#undef TB_SPACE
};

void tb_store_put(const struct tb_store *store, enum tb_space space, struct tb_str key,
                  struct tb_str value, struct tb_gate *gate)
{
    if (store->kind) {
        store->kind->put(store->state, space, key, value, NULL, gate);
    }
}

void tb_store_remove(const struct tb_store *store, enum tb_space space, struct tb_str key,
                     struct tb_gate *gate)
{
    if (store->kind) {
        store->kind->remove(store->state, space, key, NULL, gate);
    }
}

void tb_store_append(const struct tb_store *store, const struct tb_audit_entry *entry,
                     struct tb_gate *gate)
{
    if (store->kind) {
        store->kind->append(store->state, entry, gate);
    }
}

void tb_store_cut(const struct tb_store *store, int64_t wall_ms, int64_t count,
                  struct tb_gate *gate)
{
    if (store->kind) {
        store->kind->cut(store->state, wall_ms, count, gate);
    }
}

bool tb_store_ready(const struct tb_store *store, struct tb_err *err)
{
    return !store->kind || store->kind->ready(store->state, err);
}

void tb_store_report(const struct tb_core *core, const struct tb_err *err)
{
    if (err) {
        tb_log_at(core->log, ERROR, "store", "trouble", tb_kv_cstr("reason", err->text));
    } else {
        tb_log_at(core->log, INFO, "store", "storing works again");
    }
}

void tb_store_replaced(const struct tb_core *core)
{
    if (core->keys) {
        tb_keys_store_again(core->keys);
    }
    if (core->policies) {
        tb_policies_store_again(core->policies);
    }
    if (core->secrets) {
        tb_secrets_store_again(core->secrets);
    }
    if (core->sessions) {
        tb_sessions_store_again(core->sessions);
    }
}

const char *tb_space_name(enum tb_space space)
{
    return spaces[space].name;
}

bool tb_space_light(enum tb_space space)
{
    return spaces[space].light;
}
