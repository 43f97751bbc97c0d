/* SPDX-License-Identifier: Apache-2.0 */
/* docs/TOOLS.md, written from the tables that the program itself uses. */
#pragma once

#include "base/buf.h"

void tb_tools_page(struct tb_buf *out);
