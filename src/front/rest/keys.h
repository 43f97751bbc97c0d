/* SPDX-License-Identifier: Apache-2.0 */
/* API keys by REST: POST makes one and shows its text, once; GET lists them; DELETE revokes one. */
#pragma once

#include "core/front.h"

void tb_rest_keys_create(struct tb_front_req *req);
void tb_rest_keys_list(struct tb_front_req *req);
void tb_rest_keys_revoke(struct tb_front_req *req);
