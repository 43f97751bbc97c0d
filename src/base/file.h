/* SPDX-License-Identifier: Apache-2.0 */
/* Small files, whole: the configuration, tokens, secrets. Blocking, so for start-up and reload
 * only. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends the content. -errno, or TB_E_TOO_LARGE at the buffer's ceiling (it is then as it was).
 * -EINVAL for a pipe or a device, where the read would wait or never end. */
int tb_file_read(const char *path, struct tb_buf *out);
/* The same also of a pipe, as a shell's <(...) is one: waits for whoever writes it. */
int tb_file_read_stream(const char *path, struct tb_buf *out);
/* Writes a new file beside the old one, syncs it and renames it over: a crash leaves the old or the
 * new content, never a part. */
int tb_file_write(const char *path, struct tb_str content, mode_t mode);
/* The same without the wait for the disk: it outlives the process, but perhaps no power loss. */
int tb_file_place(const char *path, struct tb_str content, mode_t mode);
/* mkdir -p; the last folder gets `mode`, folders on the way 0755. */
int tb_dir_make(const char *path, mode_t mode);
