/* SPDX-License-Identifier: Apache-2.0 */
/* The folders: XDG's, unless the settings name others. Both are the daemon's own, mode 0700. */
#pragma once

#include "base/err.h"
#include "core/config.h"

/* $XDG_CONFIG_HOME/tabard/<name> or ~/.config/...; the caller frees. NULL without a home. */
char *tb_dirs_config_file(const char *name);
/* Fills in state_dir and runtime_dir where the settings leave them empty. Nothing is made on disk.
 */
int tb_dirs_fill(struct tb_config *config, struct tb_err *err);
/* Makes both folders, and refuses one that another user owns or that others may write to. */
int tb_dirs_make(const struct tb_config *config, struct tb_err *err);
/* What tb_dirs_make says of one of them, which `flag` names. Nothing stays of what was not there.
 */
int tb_dirs_try(const char *path, const char *flag, struct tb_err *err);
/* The runtime folder again, where somebody removed it, but none on the way to it: those belong to
 * others, or to a state directory that is gone. */
int tb_dirs_remake_runtime(const struct tb_config *config, struct tb_err *err);
/* "<dir>/<name>"; the caller frees. */
char *tb_dirs_join(const char *dir, const char *name);
/* The Unix socket of the daemon with these settings; the caller frees. */
char *tb_dirs_socket(const struct tb_config *config);
