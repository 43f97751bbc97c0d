/* SPDX-License-Identifier: Apache-2.0 */
/* What `ps` shows of this process: for one that becomes another command without exec. */
#pragma once

#include "base/str.h"

/* Writes over the memory that the program got its arguments and its variables in. The variables are
 * moved before; pointers into argv are no longer good. */
void tb_title_set(struct tb_str title);
