/* SPDX-License-Identifier: Apache-2.0 */
/* What a session pretends to be: a screen, a device, a place, a time zone. Kept as one JSON object
 * under the names of emulate's arguments, from which the commands for a tab are made, so that tabs
 * that open later are brought to the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

struct tb_cdp_page;
struct tb_driver_session;

/* One command for a tab. */
typedef void tb_cdp_emulation_fn(const char *method, struct tb_str params, void *user);

/* Takes arguments into `emulation`, replacing what they name; `device` becomes the viewport and the
 * rest of that device. TB_E_PARAMS for an unknown device. */
int tb_cdp_emulation_merge(struct cJSON *emulation, const struct cJSON *args, struct tb_err *err);
/* The commands that bring a tab to it; with `all` also those that undo what it does not name. */
void tb_cdp_emulation_commands(const struct cJSON *emulation, bool all, tb_cdp_emulation_fn *fn,
                               void *user);
/* The same, sent to it. */
void tb_cdp_emulation_apply(const struct cJSON *emulation, bool all, struct tb_cdp_page *page);
/* From now on this is in force in the session; its tabs have still to be brought to it. */
void tb_cdp_emulation_set_take(struct tb_driver_session *session, struct cJSON *emulation);
/* Pages may ask where they are. */
void tb_cdp_emulation_allow_place(const struct tb_driver_session *session);
/* Names of all devices, an array. */
struct cJSON *tb_cdp_emulation_devices(void);
