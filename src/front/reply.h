/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that all fronts give alike. Errors have one shape in every front that has no `fail`,
 * which is a problem of RFC 9457 (io/http_reply.h):
 *   {"error":{"code":"not_found","message":"...","hint":"what to do next"},"type":..., ...} */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/front.h"

void tb_reply_json(struct tb_front_req *req, int status, struct tb_str json);
void tb_reply_text(struct tb_front_req *req, int status, const char *type, struct tb_str text);
/* The answer of an earlier request, which this one repeats (front/once.h). */
void tb_reply_again(struct tb_front_req *req, int status, const char *type, struct tb_str text);
/* Begins an answer that is a stream of events; pieces follow by tb_http_reply_write. */
void tb_reply_events(struct tb_front_req *req);
/* Status and hint come from the code's row in err.def; `message` is shown to the caller. */
void tb_reply_error(struct tb_front_req *req, int code, const char *message);
/* With another hint, where that of the code is for agents. */
void tb_reply_error_hint(struct tb_front_req *req, int code, const char *message, const char *hint);
/* The same in the form of the request's front. */
void tb_reply_fail(struct tb_front_req *req, int code, const char *message);
/* The address is there, but not for this method; `allow` lists those that it has. In the form of
 * the request's front. */
void tb_reply_not_allowed(struct tb_front_req *req, struct tb_str allow);
