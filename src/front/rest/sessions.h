/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions by REST: which there are, what is known of one, and what becomes of it. A session's {id}
 * is its name or its id. Routes of rest.c. */
#pragma once

#include "core/front.h"

void tb_rest_sessions_list(struct tb_front_req *req);
void tb_rest_session_show(struct tb_front_req *req);
void tb_rest_session_hosts(struct tb_front_req *req);
void tb_rest_session_close(struct tb_front_req *req);
void tb_rest_session_renew(struct tb_front_req *req);
/* Both answer when it is so, or with 202 if that takes long. */
void tb_rest_session_hibernate(struct tb_front_req *req);
void tb_rest_session_wake(struct tb_front_req *req);
