/* SPDX-License-Identifier: Apache-2.0 */
/* Those that the router turned away, for the audit log and for the operator's event streams: wrong
 * credentials, and requests whose Host or Origin is none of ours, which are those of web pages. Of
 * a flood the first hundred of a minute are told one by one, then how many there were besides. */
#pragma once

#include <stdint.h>

#include "core/front.h"
#include "io/timer.h"

enum tb_refused_for {
    TB_REFUSED_PLACE, /* Host or Origin */
    TB_REFUSED_CREDENTIAL,
    TB_REFUSED_SORTS,
};

struct tb_refused {
    struct tb_core *core;
    struct tb_timer window;
    int64_t counts[TB_REFUSED_SORTS]; /* since it began */
};

void tb_refused_init(struct tb_refused *refused, struct tb_core *core);
/* Tells what is left to tell. */
void tb_refused_fini(struct tb_refused *refused);
/* `code` is what the request is answered with. */
void tb_refused_note(struct tb_refused *refused, enum tb_refused_for sort,
                     const struct tb_front_req *req, int code);
