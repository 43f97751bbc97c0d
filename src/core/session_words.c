/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/mask.h"
#include "core/session.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"

const char *tb_shown_state_name(enum tb_shown_state state)
{
    static const char *const names[] = {"created", "active", "idle", "expired", "terminated"};
    return names[state];
}

static void put_times(const struct tb_session *session, struct tb_json_writer *json)
{
    int64_t expires_ms = tb_session_expires_wall_ms(session);
    tb_json_member_time(json, "createdAt", session->times.created_wall_ms);
    tb_json_member_time(json, "lastActiveAt", session->times.last_active_wall_ms);
    if (expires_ms < INT64_MAX) {
        tb_json_member_time(json, "expiresAt", expires_ms);
    }
}

static void put_owner(const struct tb_session *session, const struct tb_caller *caller,
                      struct tb_json_writer *json)
{
    char shown[TB_CONVERSATION_SHOWN];
    tb_conversation_show(session->core, session->places.owner->name, shown);
    tb_json_member_bool(json, "own",
                        strcmp(session->places.owner->name, caller->conversation) == 0);
    if (shown[0]) {
        tb_json_member_cstr(json, "owner", shown);
    }
    if (session->traits.hidden) {
        tb_json_member_bool(json, "private", true);
    }
}

const char *tb_session_address(const struct tb_session *session, const struct tb_caller *caller)
{
    const struct tb_session *named =
        tb_sessions_reach(session->core->sessions, caller, tb_str_of(session->name));
    return named == session ? session->name : session->id;
}

void tb_session_put_capabilities(const struct tb_session *session, struct tb_json_writer *json)
{
    /* Once the driver has closed it, it is gone; the job that notes so may still be to come. */
    if (session->driver_session && session->side != TB_SIDE_CLOSED && session->driver->describe) {
        session->driver->describe(session->driver_session, json);
    } else {
        tb_json_put_raw(json, TB_STR("{}"));
    }
}

void tb_session_describe(const struct tb_session *session, const struct tb_caller *caller,
                         struct tb_json_writer *json)
{
    const struct tb_session_info info = tb_session_info(session);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "sessionId", session->name);
    if (tb_session_address(session, caller) == session->id) {
        tb_json_member_cstr(json, "id", session->id);
    }
    tb_json_member_cstr(json, "type", tb_session_kind_name(session->kind));
    tb_json_member_cstr(json, "state", tb_shown_state_name(info.state));
    if (info.hibernated) {
        tb_json_member_bool(json, "hibernated", true);
    }
    if (info.away) {
        tb_json_member_bool(json, "away", true);
    }
    if (info.held) {
        tb_json_member_bool(json, "held", true);
    }
    put_owner(session, caller, json);
    put_times(session, json);
    tb_json_member_int(json, "calls", session->stats.calls);
    tb_json_member_int(json, "errors", session->stats.errors);
    tb_json_key(json, "capabilities");
    tb_session_put_capabilities(session, json);
    tb_json_object_close(json);
}

char *tb_session_restored_words(const struct tb_session *session, const char *missing, bool again)
{
    const char *typed = again                   ? " What was typed before that is lost."
                        : session->losses.typed ? " What was typed after that save is lost."
                                                : "";
    const char *gap = missing ? " " : "";
    missing = missing ? missing : "";
    if (session->losses.loss) {
        return tb_strdupf(
            "%s. It was restored from its last save; anything after that is lost.%s%s%s",
            session->losses.loss, gap, missing, again ? typed : "");
    }
    if (!missing[0] && !typed[0]) {
        return NULL;
    }
    return tb_strdupf("Session '%s' was restored from its last save.%s%s%s", session->name, gap,
                      missing, typed);
}

struct tb_event tb_session_event(const struct tb_session *session, enum tb_event_type type)
{
    return (struct tb_event){
        .type = type,
        .tenant = session->tenant,
        .session_id = session->id,
        .session = session->name,
        .hidden = session->traits.hidden,
        .fields = {tb_field_cstr("type", tb_session_kind_name(session->kind))},
    };
}

void tb_session_publish(const struct tb_session *session, struct tb_event *event)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(SIZE_MAX);
    tb_mask_event(session->bounds.mask, event, &words);
    tb_bus_publish(&session->core->bus, event);
}

void tb_session_tell(struct tb_session *session, enum tb_event_type type, const char *words,
                     const char *reason)
{
    struct tb_core *core = session->core;
    if (words) {
        tb_log_at(core->log, INFO, "session", words,
                  tb_kv("id", tb_str_sub(tb_str_of(session->id), 0, TB_ID_SHOWN)),
                  tb_kv_cstr("name", session->name),
                  reason ? tb_kv_cstr("reason", reason) : (struct tb_log_field){0});
    }
    struct tb_event event = tb_session_event(session, type);
    event.outcome = reason;
    tb_bus_publish(&core->bus, &event);
}
