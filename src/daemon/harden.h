/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon gives up for good when it starts: core dumps, files that others can read, rights
 * that it does not use, system calls that neither it nor a browser makes. A fault in the daemon is
 * then worth less to whoever finds it. Browsers inherit all but the first. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Before there are threads, since some of it counts for the calling thread and those that it makes.
 * Where browsers gain rights (core/driver.h) they can still be gained, and only root has the filter
 * of daemon/seccomp.h. Negative when something could not be given up, which err names; all the rest
 * has been. */
int tb_harden(bool browsers_gain_rights, struct tb_err *err);
