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

#include "core/core.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"

#include "support/hostile_peer.h"

enum {
    SCENE_ROUNDS = 10, /* so often is answered what comes of answers */
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

extern const uint8_t scene_in_opener[HOSTILE_PICKS];

/* The scripts for a page are more than a pipe holds. */
void scene_turn(struct scene *scene);
void scene_answer_all(struct scene *scene);
bool scene_is_asked(const struct scene *scene, const char *method);
void scene_begin_op(struct scene *scene, enum tb_op_kind kind);
void scene_open_with(struct scene *scene, struct tb_open_opts opts);
void scene_open(struct scene *scene);
int scene_start_fleet(void **state);
int scene_start(void **state);
int scene_start_open(void **state);
int scene_stop(void **state);
void scene_tell(struct scene *scene, uint8_t what, const uint8_t picks[HOSTILE_PICKS]);
void scene_say(struct scene *scene, const char *message);
void scene_answer_one(struct scene *scene, const char *method, uint8_t how);
void scene_set_args(struct scene *scene, const char *args);
/* Answers whatever is asked until this is. */
void scene_answer_until(struct scene *scene, const char *method);
