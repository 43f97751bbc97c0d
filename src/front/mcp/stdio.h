/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of `tabard mcp`: lines of JSON both ways over the Unix socket, after an HTTP upgrade.
 * A connection is one peer and one conversation; both eras may be spoken on it at the same time.
 * The upgrade names the conversation in X-Conversation-Id, a token of 256 bits that the bridge
 * made: with it, an agent whose daemon was killed or restarted goes on where it was. Only a keyed
 * hash of it is kept, so whoever sees the conversation's name cannot present it.
 *
 *   open --end of input--> answers still due are written --> closed
 *     '--the peer hangs up, or does not read--> closed at once */
#pragma once

#include "core/front.h"

struct tb_mcp;

void tb_mcp_stdio_open(struct tb_front_req *front);
/* Closes all. */
void tb_mcp_stdio_stop(struct tb_mcp *mcp);
