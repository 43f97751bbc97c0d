/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one daemon, made in daemon/daemon.c and handed to everything above io. There are no
 * globals, so a test makes as many of these as it likes. */
#pragma once

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/vault.h"
#include "core/auth.h"
#include "core/bus.h"
#include "core/config.h"
#include "core/metrics.h"
#include "core/rates.h"
#include "core/store.h"
#include "core/view.h"
#include "io/loop.h"

struct tb_approvals;
struct tb_driver;
struct tb_egresses;
struct tb_keys;
struct tb_policies;
struct tb_secrets;
struct tb_sessions;

enum {
    TB_DRIVERS_MAX = 8,
};

/* A driver of this build and the state that its start gave. */
struct tb_driver_slot {
    const struct tb_driver *driver;
    void *state;
};

struct tb_core {
    struct tb_loop *loop;
    const struct tb_clock *clock;
    struct tb_log *log;
    struct tb_config *config;
    struct tb_auth *auth;
    struct tb_keys *keys;
    struct tb_approvals *approvals; /* NULL: nobody is asked (tests) */
    struct tb_policies *policies;   /* NULL: nothing is limited (tests) */
    struct tb_rates rates;
    struct tb_metrics metrics;
    struct tb_bus bus;
    struct tb_driver_slot drivers[TB_DRIVERS_MAX]; /* ended by a NULL driver */
    struct tb_views views;
    struct tb_store store;
    struct tb_sessions *sessions;
    struct tb_egresses *egresses;    /* NULL: no session has a policy that needs one */
    struct tb_secrets *secrets;      /* that agents may have typed */
    struct tb_vault vault;           /* what must not be swapped out; it has to be given back */
    uint8_t secret[TB_SECRET_BYTES]; /* keys the checksum of ids */
    /* Brings the gauges up to date, just before they are read. */
    void (*measure)(struct tb_core *core, void *user);
    void *measure_user;
};
