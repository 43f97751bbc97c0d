/* SPDX-License-Identifier: Apache-2.0 */
/* A login state that is kept: cookies and the local storage of some origins, in a file of the
 * tenant's that is sealed with the installation's key, since whoever has it is logged in.
 *
 *   {"version":1,"cookies":[...],"origins":[{"origin":"https://...","items":[["key","value"]]}]} */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

struct tb_core;

enum {
    TB_LOGIN_STATE_MAX = 16 * 1024 * 1024,
};

/* The path of its file, the caller's; NULL with words when the name is no plain one or nothing can
 * be kept. */
char *tb_login_state_path(const struct tb_core *core, const char *tenant, struct tb_str name,
                          struct tb_err *err);
/* What goes into the file. */
int tb_login_state_seal(const struct tb_core *core, const char *tenant, const struct cJSON *state,
                        struct tb_buf *out);
/* The caller's; NULL with words: not there, or not to be read (both TB_E_STATE_NOT_FOUND). */
struct cJSON *tb_login_state_read(const struct tb_core *core, const char *tenant, const char *path,
                                  struct tb_err *err);
