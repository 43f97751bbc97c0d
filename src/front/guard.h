/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets in. Every request passes these checks before its body is read, on loopback too: a page
 * in the operator's browser can reach loopback, and a name that resolves to it can be anybody's
 * (DNS rebinding).
 *
 * Host must name us. Origin, which browsers send and scripts do not, must be ours or an allowed
 * one; that it equals Host proves nothing. Then the route says by which credential
 * a caller shows who it is, and which scope it needs. */
#pragma once

#include "base/err.h"
#include "core/front.h"

/* 0, or the code to answer with and words for it. */
int tb_guard_check_host(const struct tb_front_req *req, struct tb_err *err);
/* By the rule of the front whose path it is; by the usual one where it is nobody's. */
int tb_guard_check_origin(const struct tb_front_req *req, struct tb_err *err);
/* The usual rule: our own origin and http.allowed_origins. */
extern const struct tb_cors tb_guard_cors;
/* That rule; NULL: no page at all. */
const struct tb_cors *tb_guard_cors_of(const struct tb_front_req *req);
/* Lets the page that asks read the answer, whatever it will be; after its origin was checked. */
void tb_guard_allow_origin(struct tb_front_req *req);
/* The token that a request shows; empty: none, or none that can count. */
struct tb_str tb_guard_token(const struct tb_http1_head *head);
/* Sets req->who, from the credential that the route takes, and of the operator's from the tenant in
 * X-Tabard-Tenant; TB_E_UNAUTHORIZED, TB_E_RATE, TB_E_FORBIDDEN if the route takes another one, or
 * a tenant is named that is not its own, TB_E_SCOPE if it has not the scope that the route needs,
 * TB_E_STORE while the keys cannot be read. */
int tb_guard_identify(struct tb_front_req *req, struct tb_err *err);
/* A request with a body must say that it is what the route accepts, which usually is JSON: a form
 * or plain text can be posted by any web page. Compressed ones are refused everywhere. */
int tb_guard_check_body_type(const struct tb_front_req *req, struct tb_err *err);
/* http.allowed_hosts and http.allowed_origins are written so that a request can match them. */
int tb_guard_check_config(const struct tb_config *config, struct tb_err *err);
