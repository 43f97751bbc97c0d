/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that somebody has taken over by REST: hands that are not at the other end of a
 * connection, so a hold has a time, and ends with it, when it is handed back, or with its
 * credential. To take over again what one has gives it more time. */
#pragma once

#include "base/list.h"
#include "core/front.h"

struct tb_rest_holds {
    struct tb_list list;
};

void tb_rest_holds_init(struct tb_rest_holds *holds);
/* The daemon stops: all are handed back, without a word. */
void tb_rest_holds_free(struct tb_rest_holds *holds);
/* POST /api/sessions/{id}/hold and /release */
void tb_rest_session_hold(struct tb_front_req *req);
void tb_rest_session_release(struct tb_front_req *req);
