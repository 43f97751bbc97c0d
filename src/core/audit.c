/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_internal.h"
#include "core/sessions.h"
#include "core/url.h"
#include "io/timer.h"

enum {
    DETAILS = 6,
    TEXT_MAX = 512, /* of one text in the details */
    FIRST_CUT_MS = 60 * 1000,
    CUT_MS = 60 * 60 * 1000,
    DAY_MS = 24 * 60 * 60 * 1000,
};

struct tb_audit {
    struct tb_core *core;
    struct tb_subscriber subscriber;
    struct tb_timer timer;
    struct tb_store_read *read; /* of the last entry of the run before */
    bool looked;                /* that was done */
    int64_t began_ms;           /* on the wall */
    int64_t now_ms;             /* the same, as far as it is believed */
};

/* Which events are kept, and which of their fields. */
static const struct row {
    bool kept;
    const char *details[DETAILS]; /* numbers, flags, short texts; "url" as core/url.h shows it */
} rows[TB_EVENT_COUNT] = {
    [TB_EVENT_SESSION_STARTED] = {true, {"type", "driver"}},
    [TB_EVENT_SESSION_ENDED] = {true, {"type", "url", "duration_ms", "calls", "errors"}},
    [TB_EVENT_SESSION_RENEWED] = {true, {"ttl_ms", "expires_in_ms"}},
    [TB_EVENT_SESSION_HIBERNATED] = {true, {"type"}},
    [TB_EVENT_SESSION_WOKEN] = {true, {"type"}},
    [TB_EVENT_SESSION_AWAY] = {true, {"type"}},
    [TB_EVENT_SESSION_BACK] = {true, {"type"}},
    [TB_EVENT_SESSION_HELD] = {true, {"type"}},
    [TB_EVENT_SESSION_RELEASED] = {true, {"type"}},
    [TB_EVENT_AGENT_JOINED] = {true, {"type", "agent_id"}},
    [TB_EVENT_AGENT_LEFT] = {true, {"type", "agent_id"}},
    [TB_EVENT_CALL_DONE] = {true, {"url", "ms", "action", "rule", "trace", "count"}},
    [TB_EVENT_CALL_STEP] = {true, {"url", "ms", "action", "step", "rule", "trace"}},
    [TB_EVENT_GLOBAL_STOP] = {true, {"sessions"}},
    [TB_EVENT_AUDIT_CLEARED] = {true, {NULL}},
    [TB_EVENT_SANDBOX_OFF] = {true, {NULL}},
    [TB_EVENT_KEY_CREATED] = {true, {"key", "label", "scopes"}},
    [TB_EVENT_KEY_REVOKED] = {true, {"key", "label"}},
    [TB_EVENT_KEY_EXPIRED] = {true, {"key", "label"}},
    [TB_EVENT_CREDENTIAL_REFUSED] = {true, {"peer", "route", "host", "key", "count"}},
    [TB_EVENT_CALLER_REFUSED] = {true, {"peer", "host", "origin", "count"}},
    [TB_EVENT_POLICY_CHANGED] = {true, {"action"}},
    [TB_EVENT_SECRET_SET] = {true, {"secret", "kind"}},
    [TB_EVENT_SECRET_REMOVED] = {true, {"secret", "kind"}},
    [TB_EVENT_SECRET_USED] = {true, {"secret", "site"}},
    [TB_EVENT_APPROVAL_WANTED] = {true, {"approval"}},
    [TB_EVENT_APPROVAL_DECIDED] = {true, {"approval"}},
    [TB_EVENT_PAGE_REFUSED] = {true, {"url", "rule", "missed"}},
    [TB_EVENT_TAB_CLOSED] = {true, {"tab"}},
    [TB_EVENT_REQUEST_REFUSED] = {true, {"host", "port", "rule", "count"}},
};

static bool is_kept(struct tb_str type)
{
    for (unsigned i = 0; i < TB_EVENT_COUNT; i++) {
        if (rows[i].kept && tb_str_eq_cstr(type, tb_event_name((enum tb_event_type)i))) {
            return true;
        }
    }
    return false;
}

int tb_audit_check_type(struct tb_str type, struct tb_err *err)
{
    struct tb_nearest nearest = {.word = type};
    struct tb_quoted shown;
    if (is_kept(type)) {
        return 0;
    }
    for (unsigned i = 0; i < TB_EVENT_COUNT; i++) {
        if (rows[i].kept) {
            tb_nearest_offer(&nearest, tb_event_name((enum tb_event_type)i));
        }
    }
    return tb_fail(err, TB_E_PARAMS,
                   "the audit log has no entries of type %s%s; a search without a type shows "
                   "which it has",
                   tb_quoted(&shown, type, 40), tb_nearest_words(&nearest));
}

static struct tb_str text_of(const char *text)
{
    return tb_str_of(text ? text : "");
}

static void put_text(struct tb_json_writer *out, const char *key, struct tb_str text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf url = TB_BUF(TB_RECORD_LIGHT_MAX);
    if (tb_str_eq_cstr(TB_STR("url"), key)) {
        tb_url_shown(text, &url);
        text = tb_buf_str(&url);
    } else {
        text = tb_str_sub(text, 0, TEXT_MAX);
    }
    tb_json_put_str(out, tb_str_sub(text, 0, tb_utf8_prefix(text)));
}

static void put_detail(struct tb_json_writer *out, const struct tb_field *field)
{
    tb_json_key(out, field->name);
    if (field->kind == TB_FIELD_TEXT) {
        put_text(out, field->name, field->text);
    } else {
        tb_json_put_int(out, field->number);
    }
}

static void put_details(const struct row *row, const struct tb_event *event,
                        struct tb_buf *ret_text)
{
    struct tb_json_writer out;
    tb_json_writer_init(&out, ret_text);
    tb_json_object_open(&out);
    for (size_t i = 0; i < DETAILS && row->details[i]; i++) {
        const struct tb_field *field = tb_event_field(event, row->details[i]);
        if (field) {
            put_detail(&out, field);
        }
    }
    tb_json_object_close(&out);
}

static struct tb_str session_name(struct tb_core *core, const struct tb_event *event)
{
    const struct tb_session *session =
        event->session || !event->session_id[0]
            ? NULL
            : tb_sessions_find(core->sessions, event->tenant, tb_str_of(event->session_id));
    return text_of(session ? session->name : event->session);
}

static void on_no_gate(struct tb_gate *gate)
{
    (void)gate;
}

/* Where no reply waits, nobody else would hear that it failed. */
static void append_alone(struct tb_core *core, const struct tb_audit_entry *entry)
{
    struct tb_gate gate;
    tb_gate_init(&gate, on_no_gate);
    tb_store_append(&core->store, entry, &gate);
    if (gate.err.code < 0) {
        tb_log_at(core->log, ERROR, "audit", "entry not stored", tb_kv("type", entry->type),
                  tb_kv_cstr("reason", gate.err.text));
    }
    tb_gate_fini(&gate);
}

static void on_event(const struct tb_event *event, void *user)
{
    struct tb_core *core = ((struct tb_audit *)user)->core;
    const struct row *row = &rows[event->type];
    if (!row->kept || !core->config->audit_enabled) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf details = TB_BUF(TB_RECORD_LIGHT_MAX / 2);
    put_details(row, event, &details);
    const struct tb_audit_entry entry = {
        .wall_ms = tb_clock_wall_ms(core->clock),
        .type = tb_str_of(tb_event_name(event->type)),
        .tenant = tb_str_of(event->tenant),
        .session = session_name(core, event),
        .agent = text_of(event->agent),
        .tool = text_of(event->tool),
        .outcome = text_of(event->outcome),
        .details = tb_buf_str(&details),
    };
    if (event->gate) {
        tb_store_append(&core->store, &entry, event->gate);
    } else {
        append_alone(core, &entry);
    }
}

/* A clock that jumps ahead makes every entry old, and one that was wrong before the start has done
 * so already. It is believed a day at a time, from the last entry of the run before, so that
 * somebody can set it right before the log is gone; a computer that slept is soon up to date. */
static int64_t believed_ms(struct tb_audit *audit)
{
    int64_t wall_ms = tb_clock_wall_ms(audit->core->clock);
    audit->now_ms = wall_ms < audit->now_ms + DAY_MS ? wall_ms : audit->now_ms + DAY_MS;
    return audit->now_ms;
}

static void cut(struct tb_audit *audit)
{
    const struct tb_core *core = audit->core;
    int64_t days = core->config->audit_retention_days;
    int64_t now_ms = believed_ms(audit);
    int64_t oldest_ms = days ? now_ms - days * DAY_MS : 0;
    tb_store_cut(&core->store, oldest_ms, core->config->audit_entries_max, NULL);
    tb_timer_start(&audit->timer, CUT_MS);
}

static void on_last(const struct tb_audit_entry *entry, void *user)
{
    ((struct tb_audit *)user)->now_ms = entry->wall_ms;
}

static void on_looked(const struct tb_err *err, void *user)
{
    struct tb_audit *audit = user;
    audit->read = NULL;
    if (err) {
        tb_timer_start(&audit->timer, FIRST_CUT_MS); /* nothing is cut before it is known */
        return;
    }
    audit->looked = true;
    cut(audit);
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_audit *audit = user;
    const struct tb_store *store = &audit->core->store;
    /* Not those of this run, whose time may be as wrong as the clock. */
    const struct tb_audit_query last = {
        .until_wall_ms = audit->began_ms - 1, .newest_first = true, .limit = 1};
    (void)timer;
    if (audit->looked || !store->kind) {
        cut(audit);
    } else {
        audit->read = store->kind->audit(store->state, &last, on_last, on_looked, audit);
    }
}

void tb_audit_entry_put(const struct tb_audit_entry *entry, struct tb_json_writer *json)
{
    TB_AUTO(tb_json_free) struct cJSON *details = tb_json_parse(entry->details);
    char when[TB_CLOCK_ISO_SIZE];
    char hash[2 * TB_HASH_BYTES + 1];
    tb_clock_iso(entry->wall_ms, when);
    tb_hex(entry->hash, TB_HASH_BYTES, hash);
    tb_json_object_open(json);
    tb_json_member_int(json, "seq", entry->seq);
    tb_json_member_cstr(json, "time", when);
    tb_json_member_str(json, "type", entry->type);
    tb_json_member_str(json, "tenant", entry->tenant);
    tb_json_member_str(json, "session", entry->session);
    tb_json_member_str(json, "agent", entry->agent);
    tb_json_member_str(json, "tool", entry->tool);
    tb_json_member_str(json, "outcome", entry->outcome);
    tb_json_member_tree(json, "details", details);
    tb_json_member_cstr(json, "hash", hash);
    tb_json_object_close(json);
}

struct tb_audit *tb_audit_new(struct tb_core *core)
{
    struct tb_audit *audit = TB_NEW(struct tb_audit);
    audit->core = core;
    audit->began_ms = tb_clock_wall_ms(core->clock);
    audit->now_ms = audit->began_ms;
    audit->subscriber = (struct tb_subscriber){.fn = on_event, .user = audit};
    tb_bus_subscribe(&core->bus, &audit->subscriber);
    tb_timer_init(&audit->timer, core->loop, on_timer, audit);
    tb_timer_start(&audit->timer, FIRST_CUT_MS);
    return audit;
}

void tb_audit_free(struct tb_audit *audit)
{
    if (!audit) {
        return;
    }
    tb_bus_unsubscribe(&audit->subscriber);
    if (audit->read) {
        audit->core->store.kind->cancel(audit->read);
    }
    tb_timer_fini(&audit->timer);
    tb_free(audit);
}
