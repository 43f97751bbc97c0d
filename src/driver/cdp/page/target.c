/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/target.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "driver/cdp/page/page_internal.h"

/* Ids go into commands without escaping, so they must be plain words. */
static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

bool tb_cdp_target_id_copy(char ret_id[TB_TARGET_ID_SIZE], struct tb_str id)
{
    if (!id.len || id.len >= TB_TARGET_ID_SIZE) {
        return false;
    }
    for (size_t i = 0; i < id.len; i++) {
        if (!is_plain(id.ptr[i])) {
            return false;
        }
    }
    memcpy(ret_id, id.ptr, id.len);
    ret_id[id.len] = '\0';
    return true;
}

struct tb_cdp_target *tb_cdp_target_of(const struct tb_cdp_conn *conn, struct tb_str session_id)
{
    struct tb_cdp_route *route = tb_cdp_route_of(conn, session_id);
    return route ? TB_CONTAINER(route, struct tb_cdp_target, route) : NULL;
}

struct tb_cdp_target *tb_cdp_target_new(struct tb_cdp_page *page, enum tb_cdp_target_kind kind,
                                        struct tb_str session_id, struct tb_str id)
{
    struct tb_cdp_target *target = TB_NEW(struct tb_cdp_target);
    target->page = page;
    target->kind = kind;
    target->script = 1;
    target->route = (struct tb_cdp_route){target->session_id, tb_cdp_page_on_event};
    if (page->target_count >= TB_CDP_TARGETS_MAX ||
        !tb_cdp_target_id_copy(target->session_id, session_id) ||
        !tb_cdp_target_id_copy(target->id, id) ||
        tb_cdp_route_begin(page->peer->conn, &target->route) < 0) {
        tb_free(target);
        return NULL;
    }
    tb_list_append(&page->targets, &target->link);
    page->target_count++;
    return target;
}

void tb_cdp_target_free(struct tb_cdp_target *target)
{
    if (!target) {
        return;
    }
    tb_cdp_route_end(target->page->peer->conn, &target->route);
    tb_list_remove(&target->link);
    target->page->target_count--;
    tb_free(target);
}

void tb_cdp_target_post(const struct tb_cdp_target *target, const char *method,
                        struct tb_str params)
{
    tb_cdp_post(target->page->peer->conn, target->session_id, method, params);
}

void tb_cdp_target_let_go(struct tb_cdp_conn *conn, struct tb_str session_id)
{
    char id[TB_TARGET_ID_SIZE];
    char params[128];
    if (!tb_cdp_target_id_copy(id, session_id)) {
        return;
    }
    int len = snprintf(params, sizeof(params), "{\"sessionId\":\"%s\"}", id);
    tb_cdp_post(conn, id, "Runtime.runIfWaitingForDebugger", (struct tb_str){NULL, 0});
    tb_cdp_post(conn, NULL, "Target.detachFromTarget", (struct tb_str){params, (size_t)len});
}
