/* SPDX-License-Identifier: Apache-2.0 */
/* The settings by the names that BTCP's own server has for them: keys of btcp-server.yaml,
 * variables BTCP_*, and its options for ports. One row each in config_btcp.def, with the setting of
 * ours that it is. Ours win wherever both are given. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "core/config.h"

#define TB_CONFIG_BTCP_FILE "btcp-server.yaml"

/* Each over the values that *config has; the words for what is wrong have their names. */
int tb_config_btcp_load_yaml(struct tb_config *config, const char *name, struct tb_str text,
                             struct tb_err *err);
int tb_config_btcp_load_env(struct tb_config *config, const char *const *env, struct tb_err *err);
/* "--port" and the like. False: there is no such option. */
bool tb_config_btcp_has_flag(const char *flag);
int tb_config_btcp_load_flag(struct tb_config *config, const char *flag, struct tb_str value,
                             struct tb_err *err);

/* A variable that the daemon reads. */
bool tb_config_btcp_is_env(struct tb_str name);

/* Tells what is given, but has no use here: keys of the file, and variables, also those that there
 * are not, with the one that is perhaps meant, or "". */
typedef void tb_config_btcp_useless_fn(struct tb_str name, const char *meant, void *user);
void tb_config_btcp_each_useless(struct tb_str text, const char *const *env,
                                 tb_config_btcp_useless_fn *fn, void *user);
