/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted.h"

#include "base/id.h"
#include "driver/cdp/cdp.h"
#include "driver/cdp/wire/line_pipe.h"

#include "support/deaf.h"

enum {
    PIPES_FULL = 4,
};

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct scene *scene = owner;
    scene->session = session;
    if (err) {
        scene->refused = *err;
    }
}

static void on_done(struct tb_op *op)
{
    ((struct scene *)op->user)->dones++;
}

/* The scripts for a page are more than a pipe holds. */
void scene_turn(struct scene *scene)
{
    for (int i = 0; i < PIPES_FULL; i++) {
        tb_loop_turn(scene->loop, false);
        hostile_read(&scene->peer);
    }
}

void scene_answer_all(struct scene *scene)
{
    for (int i = 0; i < SCENE_ROUNDS; i++) {
        hostile_answer_all(&scene->peer);
        scene_turn(scene);
    }
}

bool scene_is_asked(const struct scene *scene, const char *method)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            return true;
        }
    }
    return false;
}

void scene_begin_op(struct scene *scene, enum tb_op_kind kind)
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
    scene_turn(scene);
}

void scene_open_with(struct scene *scene, struct tb_open_opts opts)
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
        tb_cdp_browser_on_line_take(browser, tb_cdp_line_pipe_new_take(to, from));
    }
    scene_turn(scene);
}

void scene_open(struct scene *scene)
{
    scene_open_with(scene, (struct tb_open_opts){.args = NULL});
}

int scene_start_fleet(void **state)
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

int scene_start(void **state)
{
    scene_start_fleet(state);
    scene_open(*state);
    return 0;
}

int scene_start_open(void **state)
{
    scene_start(state);
    struct scene *scene = *state;
    scene_answer_all(scene);
    assert_non_null(scene->session);
    return 0;
}

int scene_stop(void **state)
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

const uint8_t scene_in_opener[HOSTILE_PICKS] = {0, 0, 0, 0};

void scene_tell(struct scene *scene, uint8_t what, const uint8_t picks[HOSTILE_PICKS])
{
    hostile_tell(&scene->peer, what, picks);
    scene_turn(scene);
}

void scene_say(struct scene *scene, const char *message)
{
    hostile_say(&scene->peer, message, strlen(message) + 1);
    scene_turn(scene);
}

void scene_answer_one(struct scene *scene, const char *method, uint8_t how)
{
    for (size_t i = 0; i < scene->peer.count; i++) {
        if (strcmp(scene->peer.waiting[i].method, method) == 0) {
            hostile_answer(&scene->peer, i, how, false);
            scene_turn(scene);
            return;
        }
    }
    fail_msg("%s was not asked", method);
}

void scene_set_args(struct scene *scene, const char *args)
{
    tb_json_free(scene->args);
    scene->args = tb_json_parse(tb_str_of(args));
    assert_non_null(scene->args);
}

/* Answers whatever is asked until this is. */
void scene_answer_until(struct scene *scene, const char *method)
{
    for (int i = 0; i < SCENE_ROUNDS && !scene_is_asked(scene, method); i++) {
        hostile_answer_all(&scene->peer);
        scene_turn(scene);
    }
    assert_true(scene_is_asked(scene, method));
}
