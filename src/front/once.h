/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are not to be done twice. A client that got no answer sends the request again with
 * the same header Idempotency-Key; it is then told the answer of the first one, or that it is still
 * under way, or, if the daemon has died meanwhile, that nobody knows: it is never done again.
 *
 * A record is in the store before the handler runs, and has the answer when that is there. What was
 * refused before anything was done (a full queue, a limit) is forgotten, so that it may be tried
 * again. Records are kept for a day.
 *
 *   asked --new--> running --answer--> answered
 *     |               '--the daemon dies--> unknown
 *     '--not new--> what is known of it */
#pragma once

#include "base/str.h"
#include "core/front.h"

struct tb_core;
struct tb_once;
struct tb_onces;

struct tb_onces *tb_onces_new(struct tb_core *core);
void tb_onces_free(struct tb_onces *onces);

/* For a front's `before`. */
bool tb_once_before(struct tb_onces *onces, struct tb_front_req *req);
/* Whoever goes on after the request has gone takes it over, and answers it. NULL: it has none. */
struct tb_once *tb_once_take(struct tb_front_req *req);
/* The answer; `code` is that of an error, or 0. Until that is stored the gate, which may be NULL,
 * is held. The record is free after this. NULL is fine. */
void tb_once_answer(struct tb_once *once, int code, int status, const char *type,
                    struct tb_str body, struct tb_gate *gate);
/* The request has gone: if it has not been answered, nobody knows how it went. */
void tb_once_gone(struct tb_front_req *req);
