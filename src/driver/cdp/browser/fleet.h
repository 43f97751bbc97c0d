/* SPDX-License-Identifier: Apache-2.0 */
/* All browsers and sessions of the driver, and what they share: its state. */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "driver/launch.h"
#include "io/loop.h"

struct tb_core;

struct tb_cdp_fleet {
    struct tb_core *core;
    struct tb_loop *loop;
    struct tb_launcher *launcher;
    struct tb_list browsers;
    struct tb_list sessions;     /* all, whatever their state */
    int64_t start_silence_ms;    /* see TB_BROWSER_SILENCE_MS; tests make it shorter */
    struct tb_buf script_params; /* of Page.addScriptToEvaluateOnNewDocument, made once */
};

/* `guard` is our own program, see io/exec_guard.h; NULL starts browsers without it. */
struct tb_cdp_fleet *tb_cdp_fleet_new(struct tb_core *core, const char *guard);
/* Browsers, sessions and all end without a word to anybody; profiles are removed. */
void tb_cdp_fleet_free(struct tb_cdp_fleet *fleet);
/* The gauges of browsers. */
void tb_cdp_fleet_measure(const struct tb_cdp_fleet *fleet);
TB_DEFINE_AUTO(struct tb_cdp_fleet *, tb_cdp_fleet_free)
