/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of system calls for the daemon and all that it starts: what neither a daemon nor a
 * browser with its own sandbox needs is refused with EPERM. Most of a kernel's holes are behind
 * such calls. It lists what is refused and not what is allowed: browsers inherit it, and what they
 * and the system's libraries call changes with every release. */
#pragma once

#include <stdbool.h>

/* For the calling thread and those that it makes. -errno; -ENOSYS where there is no such filter, or
 * no table for this kind of machine. */
int tb_seccomp_install(void);
/* Is it one of those? By its number on this machine. */
bool tb_seccomp_refuses(long number);
