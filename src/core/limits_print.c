/* SPDX-License-Identifier: Apache-2.0 */
#include "core/limits_print.h"

#include <string.h>

#include "core/core.h"
#include "core/limits.h"
#include "core/principal.h"
#include "core/sessions_internal.h"

/* 0 is none. */
static void put_limit(struct tb_json_writer *json, const char *name, int64_t limit)
{
    if (limit > 0) {
        tb_json_member_int(json, name, limit);
    } else {
        tb_json_member_raw(json, name, TB_STR("null"));
    }
}

static int64_t own_or(int64_t own, int64_t usual)
{
    return own ? own : usual;
}

static void put_key(const struct tb_principal *who, struct tb_json_writer *json)
{
    tb_json_key(json, "key");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "id", who->key);
    if (who->label[0]) {
        tb_json_member_cstr(json, "label", who->label);
    }
    tb_json_key(json, "scopes");
    tb_json_array_open(json);
    for (unsigned bit = TB_SCOPE_OBSERVE; bit <= TB_SCOPE_OPERATE; bit <<= 1) {
        if (tb_principal_may(who, bit)) {
            tb_json_put_cstr(json, tb_scope_name(bit));
        }
    }
    tb_json_array_close(json);
    if (who->expires_ms) {
        tb_json_member_time(json, "expiresAt", who->expires_ms);
    }
    tb_json_object_close(json);
}

struct counts {
    int64_t all;
    int64_t awake;
    int64_t of_key;
};

static struct counts count(struct tb_core *core, const struct tb_principal *who)
{
    const struct tb_tenant *tenant = tb_tenant_find(core->sessions, who->tenant);
    struct counts counts = {0};
    if (!tenant) {
        return counts;
    }
    counts.all = (int64_t)tenant->count;
    LIST_FOREACH(link, &tenant->awake[TB_TAKES_BROWSER]) {
        const struct tb_session *session = TB_CONTAINER(link, struct tb_session, places.awake);
        counts.awake++;
        counts.of_key += strcmp(session->key, who->key) == 0;
    }
    return counts;
}

static void put_sessions(struct tb_core *core, const struct tb_principal *who,
                         struct tb_json_writer *json)
{
    const struct tb_config *config = core->config;
    const struct counts counts = count(core, who);
    tb_json_key(json, "sessions");
    tb_json_object_open(json);
    tb_json_member_int(json, "used", counts.all);
    tb_json_member_int(json, "awake", counts.awake);
    tb_json_member_int(json, "awake_of_key", counts.of_key);
    put_limit(json, "awake_per_key",
              own_or(who->quota.sessions_max, config->limits_sessions_per_key));
    put_limit(json, "awake_per_tenant", config->limits_sessions_per_tenant);
    put_limit(json, "of_conversations_per_tenant", config->sessions_per_tenant);
    put_limit(json, "awake_in_all", config->sessions_total);
    tb_json_object_close(json);
}

void tb_limits_print(struct tb_core *core, const struct tb_principal *who,
                     struct tb_json_writer *json)
{
    const struct tb_config *config = core->config;
    tb_json_object_open(json);
    put_key(who, json);
    tb_json_member_cstr(json, "tenant", who->tenant);
    tb_json_key(json, "calls_per_minute");
    tb_json_object_open(json);
    put_limit(json, "per_key",
              own_or(who->quota.calls_per_minute, config->limits_calls_per_minute_per_key));
    put_limit(json, "per_tenant", config->limits_calls_per_minute_per_tenant);
    tb_json_object_close(json);
    put_sessions(core, who, json);
    tb_json_key(json, "streams");
    tb_json_object_open(json);
    tb_json_member_int(json, "used", who->streams);
    tb_json_member_int(json, "per_key", TB_STREAMS_PER_KEY);
    tb_json_member_int(json, "per_tenant", TB_STREAMS_PER_TENANT);
    tb_json_object_close(json);
    tb_json_object_close(json);
}
