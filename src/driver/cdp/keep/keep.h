/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a session: what its browser has goes out as JSON, and comes back in another browser.
 *
 *   {"version":1,"cookies":[...],"emulation":{...},"current":0,
 *    "tabs":[{"url","origin","scroll":[x,y],"local":"[[key,value]]","session":"[[key,value]]",...}],
 *    "origins":[{"origin":"https://...","local":"[[key,value]]"}]}
 *
 * A tab is as page/keep.js gives it, or has only its address when the page did not answer. Local
 * storage of sites that no tab shows any more is remembered from when one did. */
#pragma once

#include "base/str.h"
#include "core/driver.h"

struct tb_cdp_keeper;

/* For a session that is to be opened with this; empty: with nothing. */
struct tb_cdp_keeper *tb_cdp_keep_new(struct tb_str saved);

/* Driver functions, see core/driver.h. */
void tb_cdp_keep_save(struct tb_driver_session *session, int64_t deadline_ms, tb_saved_fn *fn,
                      void *owner);
struct tb_restored tb_cdp_keep_restored(struct tb_driver_session *session);
