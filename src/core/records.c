/* SPDX-License-Identifier: Apache-2.0 */
#include "core/records.h"

#include <stdio.h>
#include <string.h>

#include "base/seal.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/sessions_internal.h"

enum {
    /* What a session did last may be older in the store by this much. It decides only about its
     * idle time after a crash, which is a hundred times longer. */
    REFRESH_MS = 10 * 1000,
    ARGS_MAX = 16 * TB_KIB, /* sealed; leaves room for the rest of a light record */
};

/* Sealing. A seal is bound to the session and to what it is for. */

static int seal(const struct tb_session *session, const char *what, struct tb_str plain,
                struct tb_buf *out)
{
    char bound[TB_ID_SIZE + 8];
    snprintf(bound, sizeof(bound), "%s:%s", what, session->id);
    return tb_seal(session->core->secret, tb_str_of(bound), plain, out);
}

static int unseal(const struct tb_session *session, const char *what, struct tb_str sealed,
                  struct tb_buf *out)
{
    char bound[TB_ID_SIZE + 8];
    snprintf(bound, sizeof(bound), "%s:%s", what, session->id);
    return tb_seal_open(session->core->secret, tb_str_of(bound), sealed, out);
}

int tb_record_keep_args(struct tb_session *session, const struct cJSON *args, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain;
    TB_AUTO(tb_buf_fini) struct tb_buf sealed;
    tb_buf_init(&plain, ARGS_MAX);
    tb_buf_init(&sealed, ARGS_MAX);
    if (!args || !session->core->store.kind) {
        return 0;
    }
    if (tb_json_print(args, &plain) < 0 || seal(session, "args", tb_buf_str(&plain), &sealed) < 0) {
        return tb_fail(err, TB_E_TOO_LARGE, "the arguments of the session are too long to be kept");
    }
    session->args = tb_str_dup(tb_buf_str(&sealed));
    return 0;
}

struct cJSON *tb_record_args(const struct tb_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain;
    tb_buf_init(&plain, ARGS_MAX);
    if (!session->args || unseal(session, "args", tb_str_of(session->args), &plain) < 0) {
        return NULL;
    }
    return tb_json_parse(tb_buf_str(&plain));
}

void tb_record_put_state(struct tb_session *session, struct tb_str state, struct tb_gate *gate)
{
    const struct tb_store *store = &session->core->store;
    TB_AUTO(tb_buf_fini) struct tb_buf sealed;
    struct tb_err err;
    tb_buf_init(&sealed, TB_RECORD_MAX);
    if (state.len > TB_SAVED_MAX || seal(session, "state", state, &sealed) < 0) {
        tb_fail(&err, TB_E_TOO_LARGE, "what the browser has is too much to be kept");
        tb_gate_fail(gate, &err);
        return;
    }
    tb_store_put(store, TB_SPACE_STATE, tb_str_of(session->id), tb_buf_str(&sealed), gate);
}

int tb_record_open_state(const struct tb_session *session, struct tb_str sealed, struct tb_buf *out)
{
    return unseal(session, "state", sealed, out);
}

/* Writing. */

static int64_t wall_of(const struct tb_session *session, int64_t mono_ms)
{
    return tb_clock_wall_ms(session->core->clock) + mono_ms - tb_loop_now_ms(session->core->loop);
}

static void put_text(struct tb_json_writer *json, const char *key, const char *text)
{
    tb_json_key(json, key);
    tb_json_put_cstr(json, text);
}

static void put_int(struct tb_json_writer *json, const char *key, int64_t value)
{
    tb_json_key(json, key);
    tb_json_put_int(json, value);
}

static void print(const struct tb_session *session, struct tb_json_writer *json)
{
    int64_t expires_ms = tb_session_expires_ms(session);
    tb_json_object_open(json);
    put_text(json, "id", session->id);
    put_text(json, "name", session->name);
    put_text(json, "tenant", session->tenant);
    put_text(json, "conversation", session->conversation);
    put_text(json, "kind", tb_session_kind_name(session->kind));
    put_text(json, "driver", session->driver->name);
    put_int(json, "created", session->created_wall_ms);
    put_int(json, "active", session->last_active_wall_ms);
    if (session->ttl_at_ms) {
        put_int(json, "ttl_at", wall_of(session, session->ttl_at_ms));
    }
    if (expires_ms < INT64_MAX) {
        put_int(json, "expires", wall_of(session, expires_ms));
    }
    put_int(json, "calls", session->stats.calls);
    put_int(json, "errors", session->stats.errors);
    tb_json_key(json, "saved");
    tb_json_put_bool(json, session->saved);
    tb_json_key(json, "current_of");
    tb_current_print(session, json);
    if (session->args) {
        put_text(json, "args", session->args);
    }
    tb_json_object_close(json);
}

void tb_record_put(struct tb_session *session, struct tb_gate *gate)
{
    const struct tb_store *store = &session->core->store;
    TB_AUTO(tb_buf_fini) struct tb_buf text;
    struct tb_json_writer json;
    struct tb_err err;
    tb_buf_init(&text, TB_RECORD_LIGHT_MAX);
    if (!store->kind) {
        return;
    }
    tb_json_writer_init(&json, &text);
    print(session, &json);
    if (json.rc < 0) {
        tb_fail(&err, json.rc, "the record of session '%s' is too long", session->name);
        tb_gate_fail(gate, &err);
        return;
    }
    session->recorded_ms = tb_loop_now_ms(session->core->loop);
    tb_store_put(store, TB_SPACE_SESSION, tb_str_of(session->id), tb_buf_str(&text), gate);
}

void tb_record_refresh(struct tb_session *session)
{
    if (tb_loop_now_ms(session->core->loop) - session->recorded_ms >= REFRESH_MS) {
        tb_record_put(session, NULL);
    }
}

void tb_record_remove(struct tb_session *session, struct tb_gate *gate)
{
    const struct tb_store *store = &session->core->store;
    tb_store_remove(store, TB_SPACE_SESSION, tb_str_of(session->id), gate);
    tb_store_remove(store, TB_SPACE_STATE, tb_str_of(session->id), NULL);
}

/* Reading. */

static bool get_text(const struct cJSON *json, const char *key, char *ret_text, size_t size)
{
    struct tb_str text;
    if (!tb_json_str(tb_json_get(json, key), &text) || text.len >= size) {
        return false;
    }
    memcpy(ret_text, text.ptr, text.len);
    ret_text[text.len] = '\0';
    return true;
}

static bool get_kind(const struct cJSON *json, enum tb_session_kind *ret_kind)
{
    struct tb_str text;
    if (!tb_json_str(tb_json_get(json, "kind"), &text)) {
        return false;
    }
    for (int kind = 0; kind < TB_KIND_COUNT; kind++) {
        if (tb_str_eq_cstr(text, tb_session_kind_name((enum tb_session_kind)kind))) {
            *ret_kind = (enum tb_session_kind)kind;
            return true;
        }
    }
    return false;
}

/* The moment on the monotonic clock; nothing that is past lies in the future, whatever was done to
 * the wall clock. */
static int64_t mono_of(const struct tb_core *core, int64_t wall_ms)
{
    int64_t ago_ms = tb_clock_wall_ms(core->clock) - wall_ms;
    return tb_loop_now_ms(core->loop) - (ago_ms > 0 ? ago_ms : 0);
}

static bool get_times(const struct cJSON *json, struct tb_session *session)
{
    const struct tb_core *core = session->core;
    int64_t ttl_ms;
    if (!tb_json_int(tb_json_get(json, "created"), &session->created_wall_ms) ||
        !tb_json_int(tb_json_get(json, "active"), &session->last_active_wall_ms)) {
        return false;
    }
    session->created_ms = mono_of(core, session->created_wall_ms);
    session->last_active_ms = mono_of(core, session->last_active_wall_ms);
    if (tb_json_int(tb_json_get(json, "ttl_at"), &ttl_ms)) {
        session->ttl_at_ms = tb_loop_now_ms(core->loop) + ttl_ms - tb_clock_wall_ms(core->clock);
        session->ttl_at_ms -= session->ttl_at_ms == 0; /* which would be none */
    }
    return true;
}

static int fill(struct tb_session *session, const struct cJSON *json, struct tb_err *err)
{
    struct tb_str driver;
    struct tb_str args;
    if (!get_text(json, "id", session->id, sizeof(session->id)) ||
        !get_text(json, "name", session->name, sizeof(session->name)) ||
        !get_text(json, "conversation", session->conversation, sizeof(session->conversation)) ||
        !get_kind(json, &session->kind) || !get_times(json, session) ||
        !tb_json_str(tb_json_get(json, "driver"), &driver)) {
        return tb_fail(err, TB_E_INVALID, "it is no record of a session");
    }
    const struct tb_driver_slot *slot = tb_driver_find(session->core, driver);
    if (!slot) {
        return tb_fail(err, TB_E_NOT_FOUND, "this daemon has no driver '%.*s'", TB_STR_ARG(driver));
    }
    session->driver = slot->driver;
    tb_json_int(tb_json_get(json, "calls"), &session->stats.calls);
    tb_json_int(tb_json_get(json, "errors"), &session->stats.errors);
    tb_json_bool(tb_json_get(json, "saved"), &session->saved);
    if (tb_json_str(tb_json_get(json, "args"), &args)) {
        session->args = tb_str_dup(args);
    }
    return 0;
}

int tb_record_load(struct tb_sessions *sessions, struct tb_str value,
                   struct tb_session **ret_session, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    char tenant[TB_TENANT_SIZE];
    struct tb_str conversation;
    if (!get_text(json, "tenant", tenant, sizeof(tenant))) {
        return tb_fail(err, TB_E_INVALID, "it is no record of a session");
    }
    struct tb_session *session = tb_session_new(sessions, tenant);
    session->asleep = true;
    session->known = true;
    session->state = TB_STATE_IDLE;
    session->recorded_ms = tb_loop_now_ms(sessions->core->loop);
    int rc = fill(session, json, err);
    if (rc == 0 && tb_sessions_add(session) < 0) {
        rc = tb_fail(err, TB_E_SESSION_EXISTS, "there is another one of this id or name");
    }
    if (rc < 0) {
        tb_session_record_free(session);
        return rc;
    }
    JSON_ARRAY_FOREACH(item, tb_json_get(json, "current_of")) {
        if (tb_json_str(item, &conversation) && conversation.len < TB_CONVERSATION_SIZE) {
            tb_current_set(session->home, conversation.ptr, session);
        }
    }
    *ret_session = session;
    return 0;
}
