/* SPDX-License-Identifier: Apache-2.0 */
/* Named secrets by REST: PUT sets one, GET lists them without their values, DELETE removes one. */
#pragma once

#include "core/front.h"

void tb_rest_secrets_list(struct tb_front_req *req);
void tb_rest_secrets_set(struct tb_front_req *req);
void tb_rest_secrets_remove(struct tb_front_req *req);
