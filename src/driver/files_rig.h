/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a directory that is there, as that of a session. */
#pragma once

#include <sys/stat.h>

#include "driver/files.h"

/* Points at `path`. */
static inline struct tb_files_folder folder_at(const char *path)
{
    struct stat info = {0};
    stat(path, &info);
    return (struct tb_files_folder){(char *)path, {info.st_dev, info.st_ino}};
}
