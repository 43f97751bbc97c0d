/* SPDX-License-Identifier: Apache-2.0 */
/* What a DevTools session is attached to: the main target of a tab, a frame that lives in another
 * process, a worker. All belong to a tab. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "driver/cdp/wire/conn.h"

struct tb_cdp_page;

enum {
    TB_TARGET_ID_SIZE = 64,
};

enum tb_cdp_target_kind {
    TB_TARGET_PAGE,
    TB_TARGET_FRAME,
    TB_TARGET_WORKER,
};

struct tb_cdp_target {
    struct tb_list link;       /* in its tab */
    struct tb_cdp_route route; /* its events */
    enum tb_cdp_target_kind kind;
    struct tb_cdp_page *page;
    unsigned script;     /* the number of our script in this session */
    int64_t answered_ms; /* when its thread last did; 0: never */
    bool tells_requests; /* see requests.h */
    unsigned events;     /* of these, since the last act */
    char session_id[TB_TARGET_ID_SIZE];
    char id[TB_TARGET_ID_SIZE];
};

/* The one that this DevTools session is attached to; NULL: none. */
struct tb_cdp_target *tb_cdp_target_of(const struct tb_cdp_conn *conn, struct tb_str session_id);
/* NULL when the tab has too many, or an id is not one that a browser gives. */
struct tb_cdp_target *tb_cdp_target_new(struct tb_cdp_page *page, enum tb_cdp_target_kind kind,
                                        struct tb_str session_id, struct tb_str id);
void tb_cdp_target_free(struct tb_cdp_target *target);
/* Lets a target run that is of no interest here, and keeps no session to it. */
void tb_cdp_target_let_go(struct tb_cdp_conn *conn, struct tb_str session_id);
/* A command to it whose answer nobody needs. */
void tb_cdp_target_post(const struct tb_cdp_target *target, const char *method,
                        struct tb_str params);
/* Copies an id of the browser; false when it is too long or not a plain word. */
bool tb_cdp_target_id_copy(char ret_id[TB_TARGET_ID_SIZE], struct tb_str id);
