/* SPDX-License-Identifier: Apache-2.0 */
/* Those that were turned away at a door, for the audit log and for the operator's event streams:
 * wrong credentials, requests whose Host or Origin is none of ours, which are those of web pages,
 * and connections to the forward proxy without a pass (core/flood.h). */
#pragma once

#include "core/event.h"
#include "core/flood.h"
#include "core/front.h"

/* Of one sort. */
struct tb_refused {
    struct tb_core *core;
    enum tb_event_type type; /* TB_EVENT_CALLER_REFUSED or TB_EVENT_CREDENTIAL_REFUSED */
    struct tb_flood flood;
};

void tb_refused_init(struct tb_refused *refused, struct tb_core *core, enum tb_event_type type);
/* Tells what is left to tell. */
void tb_refused_fini(struct tb_refused *refused);
/* `code` is what the request is answered with. */
void tb_refused_note(struct tb_refused *refused, const struct tb_front_req *req, int code);
/* A request to the forward proxy. */
void tb_refused_note_proxy(struct tb_refused *refused, const struct tb_peer *peer,
                           const struct tb_http1_head *head, int code);
