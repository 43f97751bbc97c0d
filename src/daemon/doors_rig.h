/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: doors in front of a router with any fronts, on free ports of loopback and in a
 * directory of the test's own. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/auth.h"
#include "core/config.h"
#include "core/core.h"
#include "daemon/doors.h"
#include "io/client_rig.h"

struct doors_rig {
    struct tb_config config;
    struct tb_log log;
    struct tb_core core;
    struct tb_router *router;
    struct tb_doors *doors;
    char dir[32];
    bool drained;
};

static inline void doors_rig_set(struct doors_rig *rig, const char *flag, const char *value)
{
    struct tb_err err;
    const struct tb_config_key *key = tb_config_by_flag(tb_str_of(flag));
    assert_int_equal(tb_config_set(&rig->config, key, tb_str_of(value), &err), 0);
}

/* Settings may be changed before the next step. */
static inline void doors_rig_init(struct doors_rig *rig)
{
    *rig = (struct doors_rig){.drained = false};
    tb_config_init(&rig->config);
    tb_log_init(&rig->log, TB_LOG_ERROR, STDERR_FILENO, tb_clock_system());
    snprintf(rig->dir, sizeof(rig->dir), "/tmp/tabard-doors-XXXXXX");
    assert_non_null(mkdtemp(rig->dir));
    doors_rig_set(rig, "--listen", "127.0.0.1:0");
    doors_rig_set(rig, "--agent-listen", "127.0.0.1:0");
    doors_rig_set(rig, "--runtime-dir", rig->dir);
    rig->core = (struct tb_core){
        .clock = tb_clock_system(),
        .log = &rig->log,
        .config = &rig->config,
    };
    rig->core.loop = tb_loop_new(rig->core.clock);
    tb_bus_init(&rig->core.bus);
    rig->core.auth = tb_auth_new(rig->core.loop);
}

/* False, with words, when they cannot be opened. */
static inline bool doors_rig_open(struct doors_rig *rig, const struct tb_front *const *fronts,
                                  const struct tb_door_row *rows, struct tb_err *err)
{
    rig->router = tb_router_new(&rig->core, fronts);
    assert_int_equal(tb_router_start(rig->router, err), 0);
    rig->doors = tb_doors_new(&rig->core, rig->router, rows, err);
    return rig->doors != NULL;
}

static inline void doors_rig_on_drained(void *user)
{
    *(bool *)user = true;
}

/* As the daemon does it. */
static inline void doors_rig_drain(struct doors_rig *rig)
{
    tb_router_drain(rig->router);
    tb_doors_drain(rig->doors, doors_rig_on_drained, &rig->drained);
}

static inline void doors_rig_fini(struct doors_rig *rig)
{
    tb_doors_free(rig->doors);
    tb_router_free(rig->router);
    tb_auth_free(rig->core.auth);
    tb_loop_free(rig->core.loop);
    tb_config_fini(&rig->config);
    tb_log_fini(&rig->log);
    assert_int_equal(rmdir(rig->dir), 0); /* the socket is gone too */
}
