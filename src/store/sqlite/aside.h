/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are broken are kept, under another name, for people to look at. */
#pragma once

enum {
    TB_ASIDE_SIZE = 512,
};

/* Renames `path` to "<path>.broken-<time>"; -errno on failure. */
int tb_aside(const char *path, char ret_path[TB_ASIDE_SIZE]);
