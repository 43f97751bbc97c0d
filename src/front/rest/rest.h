/* SPDX-License-Identifier: Apache-2.0 */
/* REST for scripts and people: sessions and how they end, and API keys. A session's {id} is its
 * name or its id. An answer that acknowledges something is sent when that is stored. A new route is
 * a row in rest.c.
 */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_rest;
