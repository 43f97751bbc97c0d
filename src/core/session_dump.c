/* SPDX-License-Identifier: Apache-2.0 */
/* All that others may know of a session, for who looks into one. The members that BTCP has are
 * called as there. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/session.h"
#include "core/session_life.h"
#include "core/sessions_internal.h"
#include "core/toolbox.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"
#include "proto/json_string.h"

/* With the id of a page's session one can take the page's place, so it is for who has it already,
 * or might as well: it came by the same credential. */
static bool may_know_id(const struct tb_session *session, const struct tb_caller *caller,
                        struct tb_str named)
{
    return caller->everyone || tb_str_eq_cstr(named, session->id) ||
           (session->key[0] && strcmp(session->key, caller->who->key) == 0);
}

static void put_flag(struct tb_json_writer *json, const char *name, bool flag)
{
    if (flag) {
        tb_json_member_bool(json, name, true);
    }
}

static void put_state(const struct tb_session *session, struct tb_json_writer *json)
{
    const struct tb_session_info info = tb_session_info(session);
    tb_json_member_cstr(json, "type", tb_session_kind_name(session->kind));
    tb_json_member_cstr(json, "state", tb_shown_state_name(info.state));
    put_flag(json, "hibernated", info.hibernated);
    put_flag(json, "away", info.away);
    put_flag(json, "held", info.held);
    put_flag(json, "private", info.hidden);
    tb_json_member_time(json, "createdAt", session->times.created_wall_ms);
    if (info.expires_ms < INT64_MAX) {
        tb_json_member_time(json, "expiresAt", info.expires_ms);
    }
}

/* What came by itself is its own; other sessions are those of agents. */
static void put_owner(const struct tb_session *session, struct tb_json_writer *json)
{
    bool is_guest = tb_session_kind_is_guest(session->kind);
    const char *type = is_guest ? tb_session_kind_name(session->kind) : "agent";
    char shown[TB_CONVERSATION_SHOWN];
    char connection[TB_CONVERSATION_SHOWN + 16];
    tb_caller_show(session->core, tb_session_owner(session), session->key, shown);
    snprintf(connection, sizeof(connection), "%s-%s", type, shown);
    tb_json_key(json, "owner");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", type);
    tb_json_member_cstr(json, "connectionId", connection);
    if (session->times.peer_wall_ms) {
        tb_json_member_time(json, "connectedAt", session->times.peer_wall_ms);
    }
    if (session->places.peer_agent) {
        tb_json_member_cstr(json, "userAgent", session->places.peer_agent);
    }
    tb_json_object_close(json);
}

static void put_member(const struct tb_member_info *info, void *user)
{
    struct tb_json_writer *json = user;
    tb_json_object_open(json);
    tb_json_member_cstr(json, "type", "agent");
    tb_json_member_cstr(json, "connectionId", info->id);
    tb_json_member_cstr(json, "name", info->agent);
    tb_json_member_time(json, "connectedAt", info->joined_wall_ms);
    tb_json_object_close(json);
}

/* A string of a page, which may have in it what not every reader of JSON takes. */
static void put_word(struct tb_str word, struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf plain = TB_BUF(TB_BROUGHT_JSON_MAX);
    tb_json_string_decode(word, &plain);
    tb_buf_append_char(&plain, '\0');
    tb_json_put_cstr(json, (const char *)plain.data);
}

static void put_words(struct tb_str array, struct tb_json_writer *json)
{
    struct tb_json_iter iter = tb_json_iter_of(array);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        if (item.value.type == TB_JSON_STRING) {
            put_word(item.value.text, json);
        }
    }
}

/* Of what its page wrote only what BTCP has in a dump: the whole is in the list of tools. */
static void put_tool(const struct tb_brought *tool, struct tb_json_writer *json)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want wants[] = {{.key = "capabilities"}, {.key = "manifestName"}};
    tb_json_scan(tool->json, &limits, wants, TB_COUNT(wants), NULL);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", tool->name);
    if (strcmp(tool->shown, tool->name) != 0) {
        tb_json_member_cstr(json, "shownAs", tool->shown);
    }
    tb_json_key(json, "capabilities");
    tb_json_array_open(json);
    if (wants[0].value.type == TB_JSON_ARRAY) {
        put_words(wants[0].value.text, json);
    }
    tb_json_array_close(json);
    if (wants[1].value.type == TB_JSON_STRING) {
        tb_json_key(json, "manifestName");
        put_word(wants[1].value.text, json);
    }
    tb_json_object_close(json);
}

static void put_lists(const struct tb_session *session, struct tb_json_writer *json)
{
    tb_json_key(json, "members");
    tb_json_array_open(json);
    tb_members_each(session, put_member, json);
    tb_json_array_close(json);
    tb_json_key(json, "tools");
    tb_json_array_open(json);
    for (size_t i = 0; i < session->brought.count; i++) {
        put_tool(session->brought.tools[i], json);
    }
    tb_json_array_close(json);
    tb_json_key(json, "capabilities");
    tb_session_put_capabilities(session, json);
}

static void put_stats(const struct tb_session *session, struct tb_json_writer *json)
{
    tb_json_key(json, "stats");
    tb_json_object_open(json);
    tb_json_member_int(json, "toolCalls", session->stats.calls);
    tb_json_member_int(json, "errors", session->stats.errors);
    tb_json_member_time(json, "lastActivity", session->times.last_active_wall_ms);
    tb_json_object_close(json);
}

void tb_session_dump(const struct tb_session *session, const struct tb_caller *caller,
                     struct tb_str named, struct tb_json_writer *json)
{
    bool knows = may_know_id(session, caller, named);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "id", knows ? session->id : tb_session_address(session, caller));
    tb_json_member_cstr(json, "name", session->name);
    put_state(session, json);
    put_owner(session, json);
    put_lists(session, json);
    put_stats(session, json);
    tb_json_object_close(json);
}
