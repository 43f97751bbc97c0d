/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the toolset octopus as Octopus calls a tool server of its own: GET /tools lists
 * them, POST /tool/{name}/call takes their arguments and gives their bare result. What goes wrong
 * on a page is a result; what keeps a call from being made is {"error","message"} with a status. */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_octopus;
