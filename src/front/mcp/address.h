/* SPDX-License-Identifier: Apache-2.0 */
/* What a client asks for in the address of its request or connection: tools, and the session that
 * its calls mean, which may also stand in a header. */
#pragma once

#include "base/err.h"
#include "core/front.h"
#include "core/session.h"
#include "core/view.h"

struct tb_mcp_address {
    struct tb_view *view; /* a reference */
    char session[TB_NAME_SIZE];
};

/* `known` are the parameters that the query may have, NULL-ended. TB_E_SESSION_NOT_FOUND when it
 * has one for the session, but that is empty, and the view is there all the same; TB_E_NOT_FOUND
 * (no such toolset), TB_E_PARAMS, TB_E_INVALID. */
int tb_mcp_address_read(const struct tb_front_req *front, struct tb_str toolset,
                        const char *const known[], struct tb_mcp_address *ret_address,
                        struct tb_err *err);
/* The same for one over HTTP, with the toolset in the path; false: it is answered with the reason.
 */
bool tb_mcp_address_of(struct tb_front_req *front, struct tb_mcp_address *ret_address);
