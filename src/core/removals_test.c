/* SPDX-License-Identifier: Apache-2.0 */
#include "core/removals.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions_internal.h"

#include "support/core_rig.h"

/* A store of which only the removals are of interest. */
struct bin {
    bool refuses;
    bool holds; /* the answer comes with `answer` */
    bool unready;
    size_t asked;
    struct tb_list holdings;
};

struct holding {
    struct tb_list link;
    struct tb_hold hold;
};

static void remove_record(void *state, enum tb_space space, struct tb_str key,
                          const struct tb_fence *fence, struct tb_gate *gate)
{
    (void)fence;
    struct bin *bin = state;
    struct tb_err err;
    (void)space;
    (void)key;
    bin->asked++;
    if (bin->refuses) {
        tb_fail(&err, TB_E_STORE, "the disk is full");
        tb_gate_fail(gate, &err);
    } else if (bin->holds) {
        struct holding *holding = TB_NEW(struct holding);
        tb_list_append(&bin->holdings, &holding->link);
        tb_gate_hold(gate, &holding->hold);
    }
}

static void answer(struct bin *bin, int code)
{
    struct tb_list *link;
    struct tb_err err;
    tb_fail(&err, code, "the disk is full");
    while ((link = tb_list_pop(&bin->holdings))) {
        struct holding *holding = TB_CONTAINER(link, struct holding, link);
        tb_hold_release(&holding->hold, code ? &err : NULL);
        tb_free(holding);
    }
}

static bool ready(void *state, struct tb_err *err)
{
    (void)err;
    return !((struct bin *)state)->unready;
}

static const struct tb_store_kind bin_kind = {.name = "bin",
                                              .remove = remove_record,
                                              .ready = ready};

struct scene {
    struct rig *rig;
    struct bin bin;
    struct tb_removals *removals;
    struct tb_tenant tenant;
    struct tb_session session;
};

static int setup(void **state)
{
    struct scene *scene = TB_NEW(struct scene);
    void *rig = NULL;
    rig_setup(&rig);
    scene->rig = rig;
    tb_log_fini(&scene->rig->log);
    tb_log_init(&scene->rig->log, TB_LOG_ERROR, -1, &scene->rig->clock.clock);
    tb_list_init(&scene->bin.holdings);
    scene->rig->core.store = (struct tb_store){&bin_kind, &scene->bin};
    scene->removals = tb_removals_new(&scene->rig->core);
    scene->session.places.home = &scene->tenant;
    snprintf(scene->session.id, sizeof(scene->session.id), "id");
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    void *rig = scene->rig;
    tb_removals_free(scene->removals);
    answer(&scene->bin, 0);
    rig_teardown(&rig);
    tb_free(scene);
    return 0;
}

struct reply {
    struct tb_gate gate;
    int opened;
};

static void on_open(struct tb_gate *gate)
{
    TB_CONTAINER(gate, struct reply, gate)->opened++;
}

static void reply_init(struct reply *reply)
{
    reply->opened = 0;
    tb_gate_init(&reply->gate, on_open);
}

static void logins_go_before_the_session_that_they_belong_to(void **state)
{
    struct scene *scene = *state;
    scene->bin.refuses = true;
    tb_removals_add(scene->removals, &scene->session, NULL);
    assert_int_equal(scene->bin.asked, 1);
    scene->bin.refuses = false;
    rig_advance(scene->rig, 1000);
    assert_int_equal(scene->bin.asked, 3);
    rig_advance(scene->rig, 10000);
    assert_int_equal(scene->bin.asked, 3);
}

static void a_store_that_takes_nothing_is_not_asked(void **state)
{
    struct scene *scene = *state;
    scene->bin.refuses = true;
    scene->bin.unready = true;
    tb_removals_add(scene->removals, &scene->session, NULL);
    rig_advance(scene->rig, 5000);
    assert_int_equal(scene->bin.asked, 1);
    scene->bin.refuses = false;
    scene->bin.unready = false;
    rig_advance(scene->rig, 1000);
    assert_int_equal(scene->bin.asked, 3);
}

static void an_answer_that_comes_late_is_told_and_counts(void **state)
{
    struct scene *scene = *state;
    struct reply reply;
    struct reply again;
    reply_init(&reply);
    scene->bin.holds = true;
    tb_removals_add(scene->removals, &scene->session, &reply.gate);
    assert_true(tb_gate_shut(&reply.gate));
    answer(&scene->bin, TB_E_STORE);
    assert_int_equal(reply.opened, 1);
    assert_int_equal(reply.gate.err.code, TB_E_STORE);
    rig_advance(scene->rig, 1000);
    assert_int_equal(scene->bin.asked, 4);
    /* Who asks in the meantime waits for the attempt that is under way. */
    reply_init(&again);
    tb_removals_repeat(scene->removals, &scene->tenant, &again.gate);
    assert_true(tb_gate_shut(&again.gate));
    answer(&scene->bin, 0);
    assert_int_equal(again.opened, 1);
    assert_int_equal(again.gate.err.code, 0);
    rig_advance(scene->rig, 5000);
    assert_int_equal(scene->bin.asked, 4);
}

static void who_waits_when_all_ends_is_told(void **state)
{
    struct scene *scene = *state;
    struct reply reply;
    reply_init(&reply);
    scene->bin.holds = true;
    tb_removals_add(scene->removals, &scene->session, &reply.gate);
    tb_removals_free(scene->removals);
    assert_int_equal(reply.gate.err.code, TB_E_SHUTDOWN);
    scene->removals = tb_removals_new(&scene->rig->core);
}

static void what_is_left_has_a_ceiling(void **state)
{
    struct scene *scene = *state;
    scene->bin.refuses = true;
    for (int i = 0; i < TB_REMOVALS_MAX + 1; i++) {
        tb_removals_add(scene->removals, &scene->session, NULL);
    }
    scene->bin.refuses = false;
    scene->bin.asked = 0;
    rig_advance(scene->rig, 1000);
    assert_int_equal(scene->bin.asked, 2 * TB_REMOVALS_MAX);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(logins_go_before_the_session_that_they_belong_to),
        WITH(a_store_that_takes_nothing_is_not_asked),
        WITH(an_answer_that_comes_late_is_told_and_counts),
        WITH(who_waits_when_all_ends_is_told),
        WITH(what_is_left_has_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
