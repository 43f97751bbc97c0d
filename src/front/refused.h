/* SPDX-License-Identifier: Apache-2.0 */
/* Those that the router turned away, for the audit log and for the operator's event streams: wrong
 * credentials, and requests whose Host or Origin is none of ours, which are those of web pages
 * (core/flood.h). */
#pragma once

#include "core/flood.h"
#include "core/front.h"

enum tb_refused_for {
    TB_REFUSED_PLACE, /* Host or Origin */
    TB_REFUSED_CREDENTIAL,
    TB_REFUSED_SORTS,
};

struct tb_refused {
    struct tb_core *core;
    struct tb_flood floods[TB_REFUSED_SORTS];
};

void tb_refused_init(struct tb_refused *refused, struct tb_core *core);
/* Tells what is left to tell. */
void tb_refused_fini(struct tb_refused *refused);
/* `code` is what the request is answered with. */
void tb_refused_note(struct tb_refused *refused, enum tb_refused_for sort,
                     const struct tb_front_req *req, int code);
