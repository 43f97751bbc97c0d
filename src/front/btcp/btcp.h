/* SPDX-License-Identifier: Apache-2.0 */
/* BTCP: pages that offer tools of their own. A page connects by WebSocket, opens a session of kind
 * client and registers its tools; agents find them in the session that their calls mean, and call
 * them like any other tool. */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_btcp;
