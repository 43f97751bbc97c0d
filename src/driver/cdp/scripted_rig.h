/* SPDX-License-Identifier: Apache-2.0 */
/* For tests that play the browser of one session: they answer its commands one by one and tell what
 * they like. Time is moved by hand. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/id.h"
#include "core/core.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/cdp.h"

#include "support/deaf.h"
#include "support/hostile_peer.h"

enum {
    ROUNDS = 10,
    PIPES_FULL = 4,
    COMMITTED = 19, /* event of hostile_tell */
};

/* One session whose browser we are. */
struct scene {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp_fleet *fleet;
    struct hostile_peer peer;
    struct tb_driver_session *session;
    struct tb_err refused; /* why there is no session */
    struct tb_op op;
    struct cJSON *args;
    struct tb_result result;
    int dones;
};

static inline void on_opened(struct tb_driver_session *session, const struct tb_err *err,
                             void *owner)
{
    struct scene *scene = owner;
    scene->session = session;
    if (err) {
        scene->refused = *err;
    }
}

static inline void on_done(struct tb_op *op)
{
    ((struct scene *)op->user)->dones++;
}

/* The scripts for a page are more than a pipe holds. */
static inline void turn(struct scene *scene)
{
    for (int i = 0; i < PIPES_FULL; i++) {
        tb_loop_turn(scene->loop, false);
        hostile_read(&scene->peer);
    }
}

static inline void answer_all(struct scene *scene)
{
    for (int i = 0; i < ROUNDS; i++) {
        hostile_answer_all(&scene->peer);
        turn(scene);
    }
}

static inline bool is_asked(const struct scene *scene, const char *method)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            return true;
        }
    }
    return false;
}

static inline void begin_op(struct scene *scene, enum tb_op_kind kind)
{
    tb_result_fini(&scene->result);
    tb_result_init(&scene->result);
    scene->dones = 0;
    scene->op = (struct tb_op){
        .kind = kind,
        .args = scene->args,
        .deadline_ms = tb_loop_now_ms(scene->loop) + 30000,
        .result = &scene->result,
        .done = on_done,
        .user = scene,
    };
    tb_driver_cdp.ops[kind](scene->session, &scene->op);
    turn(scene);
}

static inline void begin_session_with(struct scene *scene, struct tb_open_opts opts)
{
    struct tb_stream *to;
    struct tb_stream *from;
    opts.tenant = "default";
    opts.session_id = "s";
    opts.deadline_ms = opts.deadline_ms ? opts.deadline_ms : tb_loop_now_ms(scene->loop) + 30000;
    opts.events = &deaf_events;
    opts.owner = scene;
    scene->session = NULL;
    tb_driver_cdp.open(scene->fleet, &opts, on_opened);
    struct tb_cdp_browser *browser =
        TB_CONTAINER(scene->fleet->browsers.next, struct tb_cdp_browser, link);
    if (!browser->peer.conn) {
        tb_timer_stop(&browser->retry); /* no process: we are the browser */
        hostile_open(&scene->peer, scene->loop, &to, &from);
        tb_cdp_browser_on_pipe_take(browser, to, from);
    }
    turn(scene);
}

static inline void begin_session(struct scene *scene)
{
    begin_session_with(scene, (struct tb_open_opts){.args = NULL});
}

static inline int set_up_fleet(void **state)
{
    struct scene *scene = TB_NEW(struct scene);
    *state = scene;
    assert_int_equal(tb_id_init(), 0);
    tb_clock_manual_init(&scene->clock);
    scene->loop = tb_loop_new(&scene->clock.clock);
    tb_config_init(&scene->config);
    tb_free(scene->config.browser_path);
    scene->config.browser_path = tb_strdup("/proc/self/exe");
    scene->core.loop = scene->loop;
    scene->core.clock = &scene->clock.clock;
    scene->core.config = &scene->config;
    scene->config.browser_prestart = false;
    scene->fleet = tb_cdp_fleet_new(&scene->core, NULL);
    scene->args = tb_json_new_object();
    tb_result_init(&scene->result);
    return 0;
}

static inline int set_up(void **state)
{
    set_up_fleet(state);
    begin_session(*state);
    return 0;
}

static inline int set_up_open(void **state)
{
    set_up(state);
    struct scene *scene = *state;
    answer_all(scene);
    assert_non_null(scene->session);
    return 0;
}

static inline int tear_down(void **state)
{
    struct scene *scene = *state;
    tb_cdp_fleet_free(scene->fleet);
    hostile_close(&scene->peer);
    tb_loop_free(scene->loop);
    tb_config_fini(&scene->config);
    tb_json_free(scene->args);
    tb_result_fini(&scene->result);
    tb_free(scene);
    return 0;
}

static const uint8_t in_opener[HOSTILE_PICKS] = {0, 0, 0, 0};

static inline void tell(struct scene *scene, uint8_t what, const uint8_t picks[HOSTILE_PICKS])
{
    hostile_tell(&scene->peer, what, picks);
    turn(scene);
}

static inline void say(struct scene *scene, const char *message)
{
    hostile_say(&scene->peer, message, strlen(message) + 1);
    turn(scene);
}

static inline void answer_one(struct scene *scene, const char *method, uint8_t how)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            hostile_answer(&scene->peer, i, how, false);
            turn(scene);
            return;
        }
    }
    fail_msg("%s was not asked", method);
}

static inline void set_args(struct scene *scene, const char *args)
{
    tb_json_free(scene->args);
    scene->args = tb_json_parse(tb_str_of(args));
    assert_non_null(scene->args);
}

/* Answers whatever is asked until this is. */
static inline void answer_until(struct scene *scene, const char *method)
{
    for (int i = 0; i < ROUNDS && !is_asked(scene, method); i++) {
        hostile_answer_all(&scene->peer);
        turn(scene);
    }
    assert_true(is_asked(scene, method));
}
