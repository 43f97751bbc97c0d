/* SPDX-License-Identifier: Apache-2.0 */
/* Whom browsers run as while the daemon is root. */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "core/config.h"

/* By name or number; -ENOENT. */
int tb_launch_user_find(const char *name, uid_t *ret_uid, gid_t *ret_gid);
/* browser.user is somebody, and not root. It counts only if the daemon, whose user is `own`, is
 * root. */
int tb_launch_user_check(const struct tb_config *config, uid_t own, struct tb_err *err);
