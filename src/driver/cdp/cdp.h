/* SPDX-License-Identifier: Apache-2.0 */
/* The driver for Chromium: its entry in the table of drivers, and the state that all its browsers
 * share. The files, from the wire up: framer, message, conn (DevTools); profile, launch
 * (processes); browser (one process for all sessions of a tenant), context (one session's share of
 * it), target, page, frame, nav, page_call (a tab); session and op_* (what core calls). */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "core/driver.h"
#include "driver/cdp/browser/launch.h"
#include "io/loop.h"

struct tb_core;

extern const struct tb_driver tb_driver_cdp;

struct tb_cdp {
    struct tb_core *core;
    struct tb_loop *loop;
    struct tb_launcher *launcher;
    struct tb_list browsers;
    struct tb_list sessions;     /* all, whatever their state */
    int64_t start_silence_ms;    /* see TB_BROWSER_SILENCE_MS; tests make it shorter */
    struct tb_buf script_params; /* of Page.addScriptToEvaluateOnNewDocument, made once */
};

/* `guard` is our own program, see io/exec_guard.h; NULL starts browsers without it. */
struct tb_cdp *tb_cdp_new(struct tb_core *core, const char *guard);
/* Browsers, sessions and all end without a word to anybody; profiles are removed. */
void tb_cdp_free(struct tb_cdp *cdp);
TB_DEFINE_AUTO(struct tb_cdp *, tb_cdp_free)
