/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one daemon, made in daemon/daemon.c and handed to everything above io. There are no
 * globals, so a test makes as many of these as it likes. */
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "core/auth.h"
#include "core/config.h"
#include "core/metrics.h"
#include "io/loop.h"

struct tb_core {
    struct tb_loop *loop;
    const struct tb_clock *clock;
    struct tb_log *log;
    struct tb_config *config;
    struct tb_auth *auth;
    struct tb_metrics metrics;
    /* Brings the gauges up to date, just before they are read. */
    void (*measure)(struct tb_core *core, void *user);
    void *measure_user;
};
