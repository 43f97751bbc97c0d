/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for a person, over REST: see core/approvals.h. */
#pragma once

#include "core/front.h"

void tb_rest_approvals_list(struct tb_front_req *req);
/* {"approve": true or false} */
void tb_rest_approvals_decide(struct tb_front_req *req);
