/* SPDX-License-Identifier: Apache-2.0 */
/* requestState: what a modern server remembers between two rounds of one call, kept by the client.
 * It comes back from outside, so it is sealed, bound to the caller and the call, good for some
 * minutes, and good for one use. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/seal.h"
#include "base/str.h"

struct tb_mcp_states {
    uint8_t key[TB_SEAL_KEY_BYTES]; /* drawn at start: a state does not outlive the daemon */
    struct tb_list used;            /* in the order of use */
    size_t used_count;
};

void tb_mcp_states_init(struct tb_mcp_states *states);
void tb_mcp_states_fini(struct tb_mcp_states *states);
/* Appends the sealed form of `plain`. `bound` names the caller and the call. */
int tb_mcp_state_seal(struct tb_mcp_states *states, int64_t now_ms, struct tb_str bound,
                      struct tb_str plain, struct tb_buf *out);
/* Appends the plain text. TB_E_INVALID: not ours, changed, of another call, too old, or used
 * before. */
int tb_mcp_state_open(struct tb_mcp_states *states, int64_t now_ms, struct tb_str bound,
                      struct tb_str sealed, struct tb_buf *out);
