/* SPDX-License-Identifier: Apache-2.0 */
/* Carries lines between an agent's stdin and stdout and the daemon, and knows which requests wait
 * for an answer. It waits in one place, for all ends at once, and never in a read or a write: what
 * one end does not take yet waits in a buffer, and a full buffer stops the reading that fills it:
 * an agent that does not read stops the daemon, and that, when it too has all it takes, the agent.
 *
 * When the daemon goes away, every waiting request gets an error that says so, the next line opens
 * a new connection, and a legacy client's `initialize` is said again on its behalf: agents do not
 * restart their servers. */
#pragma once

#include "cli/mcp_link.h"

/* Runs until the agent closes its end and has all answers that are due. The exit code. */
int tb_mcp_pump(const struct tb_mcp_way *way);
