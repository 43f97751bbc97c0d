/* SPDX-License-Identifier: Apache-2.0 */
/* The driver for Chromium: its entry in the table of drivers, and the state that all its browsers
 * share. Its rooms:
 *
 *   wire     DevTools messages, commands and replies, over a pipe or a WebSocket
 *   page     a tab: frames, navigations, calls of the page scripts, dialogs
 *   browser  a process for all sessions of a tenant, a session's context and tabs, their logs
 *   op       one file per operation, and what operations share
 *   keep     a session saved, and brought back in another browser */
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
    struct tb_cdp_launcher *launcher;
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
