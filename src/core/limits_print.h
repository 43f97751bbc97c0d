/* SPDX-License-Identifier: Apache-2.0 */
/* What a credential and its tenant may use at most, and how much of that they use now. */
#pragma once

#include "base/json.h"

struct tb_core;
struct tb_principal;

/* Appends an object: key, tenant, calls_per_minute, sessions, streams. A limit that there is not is
 * null. */
void tb_limits_print(struct tb_core *core, const struct tb_principal *who,
                     struct tb_json_writer *json);
