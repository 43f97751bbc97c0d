/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of tenants over REST: see core/policies.h. */
#pragma once

#include "core/front.h"

void tb_rest_policy_get(struct tb_front_req *req);
void tb_rest_policy_put(struct tb_front_req *req);
void tb_rest_policy_remove(struct tb_front_req *req);
/* {"url"}: whether the tenant's pages may be there. */
void tb_rest_policy_check(struct tb_front_req *req);
