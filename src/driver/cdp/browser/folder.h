/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of a session and its downloads: files.h says what it is. It is made when it is
 * first needed, and the list of downloads lies in it, so that both come back with the session. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct tb_driver_session;

/* The directory, made when there is none. NULL with words: the browser is not ours, or the name
 * leads elsewhere now. */
const char *tb_cdp_folder_path(struct tb_driver_session *session, struct tb_err *err);
/* From now on the browser saves there what pages offer for download. False with words. */
bool tb_cdp_folder_keep_downloads(struct tb_driver_session *session, struct tb_err *err);
/* Takes down what is known of the session's downloads, for when it is brought back. */
void tb_cdp_folder_note_downloads(const struct tb_driver_session *session);
/* Writes a file that a call brings or makes, within the ceilings of the session's downloads. */
int tb_cdp_folder_add(struct tb_driver_session *session, const char *name, struct tb_str content,
                      struct tb_err *err);
