/* SPDX-License-Identifier: Apache-2.0 */
/* For a process that becomes another command without exec: what it shows of itself, and what it
 * keeps of the environment that it was started with. */
#pragma once

#include "base/str.h"

/* Makes `title` what `ps` shows, and removes every variable that a daemon and its browsers have no
 * use for, also from what /proc shows: the environment of an agent holds its secrets. Both lie in
 * the memory that the program got its arguments in, so pointers into argv are no longer good. */
void tb_environment_clean(struct tb_str title);
