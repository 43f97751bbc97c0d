/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary profile directories: one a browser process, mode 0700, owned by the browser's user,
 * removed after it. The name tells which daemon made it (pid and start time), so that a later one
 * can sweep what a dead one left. Nothing here follows links: what is inside belongs to the
 * browser. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

enum {
    TB_PROFILE_PATH_SIZE = 256,
};

/* Makes a directory below `root` for this user. */
int tb_profile_make(const char *root, uid_t uid, gid_t gid, char ret_path[TB_PROFILE_PATH_SIZE],
                    struct tb_err *err);
/* Removes it with all that is inside. -ENOTEMPTY and the like when somebody still writes there;
 * gone already counts as done. */
int tb_profile_remove(const char *path);
/* Removes the profiles of dead daemons that belong to us or to `uid`. Gives their number. */
size_t tb_profile_sweep(const char *root, uid_t uid);
