/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a prompt. */
#pragma once

#include "base/str.h"
#include "front/mcp/provider.h"

struct tb_mcp;

/* NULL when there is none of that name. */
const struct tb_mcp_prompt *tb_mcp_prompt_find(const struct tb_mcp *mcp, struct tb_str name);
