/* SPDX-License-Identifier: Apache-2.0 */
#include "core/records.h"

#include <stdio.h>
#include <string.h>

#include "base/seal.h"
#include "core/authors.h"
#include "core/core.h"
#include "core/lifetime.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/removals.h"
#include "core/secrets.h"
#include "core/session_away.h"
#include "core/session_hibernate.h"
#include "core/sessions_internal.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

enum {
    /* What a session did last may be older in the store by this much. It decides only about its
     * idle time after a crash, which is a hundred times longer. */
    REFRESH_MS = 10 * 1000,
    SPARE_BYTES = 512, /* of a light record, for its key and the like */
    LOSS_SIZE = sizeof(((struct tb_err *)NULL)->text),
    LABEL_SIGNS = 16,                    /* around the name of a secret */
    ARGS_MAX = 16 * TB_KIB,              /* sealed; leaves room for the rest of a light record */
    STARTER_MAX = 2 * TB_POLICY_KEY_MAX, /* sealed */
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
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(ARGS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(ARGS_MAX);
    if (!args || !session->core->store.kind) {
        return 0;
    }
    if (tb_json_print(args, &plain) < 0 || seal(session, "args", tb_buf_str(&plain), &sealed) < 0) {
        return tb_fail(err, TB_E_TOO_LARGE, "the session's arguments are too long to store");
    }
    session->args = tb_str_dup(tb_buf_str(&sealed));
    return 0;
}

struct cJSON *tb_record_args(const struct tb_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(ARGS_MAX);
    if (!session->args || unseal(session, "args", tb_str_of(session->args), &plain) < 0) {
        return NULL;
    }
    return tb_json_parse(tb_buf_str(&plain));
}

void tb_record_put_state(struct tb_session *session, struct tb_str state, struct tb_gate *gate)
{
    const struct tb_store *store = &session->core->store;
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(TB_RECORD_MAX);
    struct tb_err err;
    if (state.len > TB_SAVED_MAX || seal(session, "state", state, &sealed) < 0) {
        tb_fail(&err, TB_E_TOO_LARGE, "the browser's state is too large to store");
        tb_gate_fail(gate, &err);
        return;
    }
    tb_store_put(store, TB_SPACE_STATE, tb_str_of(session->id), tb_buf_str(&sealed), gate);
}

int tb_record_open_state(const struct tb_session *session, struct tb_str sealed, struct tb_buf *out)
{
    return unseal(session, "state", sealed, out);
}

static void print_starter(const struct tb_session *session, struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(TB_POLICY_KEY_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(STARTER_MAX);
    if (!session->bounds.starter) {
        return;
    }
    /* Of one that does not fit, which is none of a key, the next daemon knows that there was one.
     */
    if (tb_json_print(tb_policy_json(session->bounds.starter), &plain) == 0) {
        seal(session, "starter", tb_buf_str(&plain), &sealed);
    }
    tb_json_member_str(json, "starter", tb_buf_str(&sealed));
}

/* What cannot be read may have forbidden everything. */
static void fill_starter(struct tb_session *session, struct tb_str raw)
{
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(STARTER_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(TB_POLICY_KEY_MAX);
    struct cJSON *json = NULL;
    if (tb_json_string_decode(raw, &sealed) == 0 &&
        unseal(session, "starter", tb_buf_str(&sealed), &plain) == 0) {
        json = tb_json_parse(tb_buf_str(&plain));
    }
    if (tb_policy_read(json, &session->bounds.starter, NULL) < 0) {
        session->bounds.starter = tb_policy_new_nothing();
    }
    tb_json_free(json);
}

/* Writing. */

static int64_t wall_of(const struct tb_session *session, int64_t mono_ms)
{
    return tb_clock_wall_ms(session->core->clock) + mono_ms - tb_loop_now_ms(session->core->loop);
}

static void print(const struct tb_session *session, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "id", session->id);
    tb_json_member_cstr(json, "name", session->name);
    tb_json_member_cstr(json, "tenant", session->tenant);
    tb_json_member_cstr(json, "key", session->key);
    tb_json_member_cstr(json, "owner", session->places.owner->name);
    tb_json_member_bool(json, "of_conversation", session->traits.of_conversation);
    tb_json_member_bool(json, "brief", session->traits.brief);
    tb_json_member_bool(json, "private", session->traits.hidden);
    tb_json_member_bool(json, "passing", session->traits.passing);
    tb_json_member_cstr(json, "kind", tb_session_kind_name(session->kind));
    tb_json_member_cstr(json, "driver", session->driver->name);
    tb_json_member_int(json, "created", session->times.created_wall_ms);
    tb_json_member_int(json, "active", session->times.last_active_wall_ms);
    if (session->times.ttl_at_ms) {
        tb_json_member_int(json, "ttl_at", wall_of(session, session->times.ttl_at_ms));
    }
    tb_json_member_int(json, "calls", session->stats.calls);
    tb_json_member_int(json, "errors", session->stats.errors);
    tb_json_member_bool(json, "saved", session->saved);
    tb_json_member_bool(json, "typed", tb_session_has_typed(session));
    tb_json_member_int(json, "refs", session->refs);
    tb_json_key(json, "authors");
    tb_authors_print(&session->losses.authors, false, json);
    tb_json_key(json, "untold");
    tb_authors_print(&session->losses.authors, true, json);
    if (session->bounds.mask) {
        tb_json_key(json, "secrets");
        tb_mask_labels(session->bounds.mask, json);
    }
    if (session->losses.loss) {
        tb_json_member_cstr(json, "loss", session->losses.loss);
    }
    if (session->args) {
        tb_json_member_cstr(json, "args", session->args);
    }
    print_starter(session, json);
    /* Last: others choose how many there are and what they are called, and must not make the record
     * too long to be stored. */
    size_t used_bytes = json->out->len + SPARE_BYTES;
    tb_json_key(json, "current_of");
    tb_current_print(session,
                     used_bytes < TB_RECORD_LIGHT_MAX ? TB_RECORD_LIGHT_MAX - used_bytes : 0, json);
    tb_json_object_close(json);
}

void tb_record_put(struct tb_session *session, struct tb_gate *gate)
{
    const struct tb_store *store = &session->core->store;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_RECORD_LIGHT_MAX);
    struct tb_json_writer json;
    struct tb_err err;
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
    session->times.recorded_ms = tb_loop_now_ms(session->core->loop);
    tb_store_put(store, TB_SPACE_SESSION, tb_str_of(session->id), tb_buf_str(&text), gate);
}

void tb_record_refresh(struct tb_session *session)
{
    if (tb_loop_now_ms(session->core->loop) - session->times.recorded_ms >= REFRESH_MS) {
        tb_record_put(session, NULL);
    }
}

void tb_record_remove(struct tb_session *session, struct tb_gate *gate)
{
    tb_removals_add(session->core->sessions->removals, session, gate);
}

/* Reading. A start may have a hundred thousand to read, so no tree is made of them. */

enum {
    ID,
    NAME,
    TENANT,
    KEY,
    OWNER,
    OF_CONVERSATION,
    BRIEF,
    PRIVATE,
    PASSING,
    KIND,
    DRIVER,
    CREATED,
    ACTIVE,
    TTL_AT,
    CALLS,
    ERRORS,
    SAVED,
    TYPED,
    REFS,
    AUTHORS,
    UNTOLD,
    CURRENT_OF,
    SECRETS,
    LOSS,
    ARGS,
    STARTER,
    FIELD_COUNT,
};

struct record {
    struct tb_json_want fields[FIELD_COUNT];
};

static const struct record blank = {{
    [ID] = {.key = "id"},           [NAME] = {.key = "name"},
    [TENANT] = {.key = "tenant"},   [KEY] = {.key = "key"},
    [OWNER] = {.key = "owner"},     [OF_CONVERSATION] = {.key = "of_conversation"},
    [BRIEF] = {.key = "brief"},     [PRIVATE] = {.key = "private"},
    [PASSING] = {.key = "passing"}, [KIND] = {.key = "kind"},
    [DRIVER] = {.key = "driver"},   [CREATED] = {.key = "created"},
    [ACTIVE] = {.key = "active"},   [TTL_AT] = {.key = "ttl_at"},
    [CALLS] = {.key = "calls"},     [ERRORS] = {.key = "errors"},
    [SAVED] = {.key = "saved"},     [TYPED] = {.key = "typed"},
    [REFS] = {.key = "refs"},       [AUTHORS] = {.key = "authors"},
    [UNTOLD] = {.key = "untold"},   [CURRENT_OF] = {.key = "current_of"},
    [SECRETS] = {.key = "secrets"}, [LOSS] = {.key = "loss"},
    [ARGS] = {.key = "args"},       [STARTER] = {.key = "starter"},
}};

static bool get_text(const struct record *record, int field, char *ret_text, size_t size)
{
    return tb_json_value_cstr(&record->fields[field].value, ret_text, size);
}

static bool get_int(const struct record *record, int field, int64_t *ret_value)
{
    return tb_json_value_int(&record->fields[field].value, ret_value);
}

static bool get_flag(const struct record *record, int field)
{
    return tb_str_eq_cstr(record->fields[field].value.text, "true");
}

static bool get_kind(const struct record *record, enum tb_session_kind *ret_kind)
{
    for (int kind = 0; kind < TB_KIND_COUNT; kind++) {
        struct tb_str name = tb_str_of(tb_session_kind_name((enum tb_session_kind)kind));
        if (tb_json_string_eq(record->fields[KIND].value.text, name)) {
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

static bool get_times(const struct record *record, struct tb_session *session)
{
    const struct tb_core *core = session->core;
    int64_t ttl_ms;
    if (!get_int(record, CREATED, &session->times.created_wall_ms) ||
        !get_int(record, ACTIVE, &session->times.last_active_wall_ms)) {
        return false;
    }
    session->times.created_ms = mono_of(core, session->times.created_wall_ms);
    session->times.last_active_ms = mono_of(core, session->times.last_active_wall_ms);
    if (get_int(record, TTL_AT, &ttl_ms)) {
        session->times.ttl_at_ms =
            tb_loop_now_ms(core->loop) + ttl_ms - tb_clock_wall_ms(core->clock);
        session->times.ttl_at_ms -= session->times.ttl_at_ms == 0; /* which would be none */
    }
    return true;
}

/* With the wall clock set back, more would be left than was ever given. */
static void cap_ttl(struct tb_session *session)
{
    int64_t max_ms = tb_lifetime_of(session).ttl_max_ms;
    int64_t last_ms = tb_loop_now_ms(session->core->loop) + max_ms;
    if (max_ms && session->times.ttl_at_ms > last_ms) {
        session->times.ttl_at_ms = last_ms;
    }
}

static int fill(struct tb_session *session, const struct record *record, struct tb_err *err)
{
    char driver[TB_NAME_SIZE];
    char owner[TB_CONVERSATION_SIZE];
    char loss[LOSS_SIZE];
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
    if (!get_text(record, ID, session->id, sizeof(session->id)) ||
        !get_text(record, NAME, session->name, sizeof(session->name)) ||
        !get_kind(record, &session->kind) || !get_times(record, session) ||
        !get_text(record, DRIVER, driver, sizeof(driver))) {
        return tb_fail(err, TB_E_INVALID, "it is not a valid session record");
    }
    const struct tb_driver_slot *slot = tb_driver_named(session->core, tb_str_of(driver));
    if (!slot) {
        return tb_fail(err, TB_E_NOT_FOUND, "this daemon has no driver '%s'", driver);
    }
    /* A record without an owner is from before there were any. */
    bool owned = get_text(record, OWNER, owner, sizeof(owner));
    session->driver = slot->driver;
    if (!get_text(record, KEY, session->key, sizeof(session->key))) {
        session->key[0] = '\0'; /* from before there were any */
    }
    session->traits.of_conversation = get_flag(record, OF_CONVERSATION);
    session->traits.brief = get_flag(record, BRIEF);
    session->traits.hidden = get_flag(record, PRIVATE);
    session->traits.passing = get_flag(record, PASSING);
    tb_conversation_own(owned ? owner : "", session);
    cap_ttl(session);
    get_int(record, CALLS, &session->stats.calls);
    get_int(record, ERRORS, &session->stats.errors);
    session->saved = get_flag(record, SAVED);
    session->losses.typed = get_flag(record, TYPED);
    get_int(record, REFS, &session->refs);
    if (get_text(record, LOSS, loss, sizeof(loss))) {
        session->losses.loss = tb_strdup(loss);
    }
    if (tb_json_string_decode(record->fields[ARGS].value.text, &args) == 0) {
        session->args = tb_str_dup(tb_buf_str(&args));
    }
    if (record->fields[STARTER].value.type != TB_JSON_ABSENT) {
        fill_starter(session, record->fields[STARTER].value.text);
    }
    return 0;
}

static bool next_text(struct tb_json_iter *iter, char *ret_text, size_t size)
{
    struct tb_json_item item;
    while (tb_json_iter_next(iter, &item)) {
        if (tb_json_value_cstr(&item.value, ret_text, size)) {
            return true;
        }
    }
    return false;
}

/* What it has typed is masked again when it is next used. */
static void fill_mask(struct tb_session *session, const struct record *record)
{
    struct tb_json_iter labels = tb_json_iter_of(record->fields[SECRETS].value.text);
    char label[TB_SECRET_NAME_SIZE + LABEL_SIGNS];
    while (next_text(&labels, label, sizeof(label))) {
        session->bounds.mask =
            session->bounds.mask ? session->bounds.mask : tb_mask_new(&session->core->vault);
        tb_mask_expect(session->bounds.mask, label);
    }
}

static void fill_conversations(struct tb_session *session, const struct record *record)
{
    struct tb_json_iter current = tb_json_iter_of(record->fields[CURRENT_OF].value.text);
    struct tb_json_iter authors = tb_json_iter_of(record->fields[AUTHORS].value.text);
    struct tb_json_iter untold = tb_json_iter_of(record->fields[UNTOLD].value.text);
    char conversation[TB_CONVERSATION_SIZE];
    while (next_text(&current, conversation, sizeof(conversation))) {
        tb_current_set(session->places.home, conversation, session, false);
    }
    while (next_text(&authors, conversation, sizeof(conversation))) {
        tb_authors_typed(&session->losses.authors, conversation);
    }
    while (next_text(&untold, conversation, sizeof(conversation))) {
        tb_authors_set_untold(&session->losses.authors, conversation);
        session->losses.unaware = INT64_MAX; /* it may come back by another name */
    }
}

int tb_record_load(struct tb_sessions *sessions, struct tb_str value,
                   struct tb_session **ret_session, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 2};
    struct record record = blank;
    char tenant[TB_TENANT_SIZE];
    if (tb_json_scan(value, &limits, record.fields, FIELD_COUNT, NULL) != TB_JSON_OBJECT ||
        !get_text(&record, TENANT, tenant, sizeof(tenant))) {
        return tb_fail(err, TB_E_INVALID, "it is not a valid session record");
    }
    struct tb_session *session = tb_session_new(sessions, tenant);
    session->state = TB_STATE_ASLEEP; /* it begins there */
    session->times.recorded_ms = tb_loop_now_ms(sessions->core->loop);
    int rc = fill(session, &record, err);
    if (rc == 0 && tb_session_returns(session)) {
        session->state = TB_STATE_AWAY;
        session->times.away_ms = session->times.recorded_ms; /* now */
        session->losses.lost.reason = TB_END_CLIENT_DISCONNECTED;
    }
    if (rc == 0 && tb_sessions_add(session) < 0) {
        rc = tb_fail(err, TB_E_SESSION_EXISTS, "another session already has this id or name");
    }
    if (rc < 0) {
        tb_session_record_free(session);
        return rc;
    }
    fill_mask(session, &record);
    fill_conversations(session, &record);
    if (!session->traits.hidden) {
        tb_tenant_note_name(session->places.home, session->kind, tb_str_of(session->name));
    }
    *ret_session = session;
    return 0;
}
