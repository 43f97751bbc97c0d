/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log by REST: looking at it, and clearing it. Routes of rest.c. */
#pragma once

#include "core/front.h"

/* That are under way, as part of the front's state. */
struct tb_rest_clearings {
    struct tb_list list;
};

void tb_rest_clearings_free(struct tb_rest_clearings *clearings);
/* GET /api/audit: the tenant's entries; the operator names any tenant, or sees all. */
void tb_rest_audit_list(struct tb_front_req *req);
/* POST /api/audit/clear */
void tb_rest_audit_clear(struct tb_front_req *req);
