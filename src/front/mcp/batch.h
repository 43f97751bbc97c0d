/* SPDX-License-Identifier: Apache-2.0 */
/* Batches: an array of messages, answered by an array once the last answer is in. Only 2025-03-26
 * has them. */
#pragma once

#include "base/str.h"
#include "front/mcp/peer.h"

/* Runs every message of the array, which has passed tb_jsonrpc_parse. True if answers will come, in
 * one message to `out`; false if none is due, and `out` is not used. What the transport said of the
 * `whole` is true of each. */
bool tb_mcp_batch_run(struct tb_mcp_peer *peer, struct tb_str array,
                      const struct tb_mcp_message *whole, struct tb_mcp_out *out);
/* True if a message of the array says that it is modern. */
bool tb_mcp_batch_claims(struct tb_str array);
