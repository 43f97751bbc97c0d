/* SPDX-License-Identifier: Apache-2.0 */
/* How a light change becomes durable. It is in the intake's memory already; the next writes are:
 *
 *   directly   by the loop, into the page cache: a few microseconds, and nobody waits
 *   by a part  a worker writes all that has come, looks whether the file is still in its place, and
 *              syncs it if that is wanted; those who wait are told after it
 *   by a batch the file is no good, so they wait until the database has it; the batch makes a new
 *              file
 *
 * A write into the page cache can hang with the disk below it, and would take the loop along. So
 * the loop writes itself only for a moment after a worker did so quickly. */
#include "base/mem.h"
#include "store/sqlite/state.h"

enum {
    DIRECT_MS = 1000, /* after a worker's write */
    SLOW_MS = 50,     /* a write that takes longer is not quick */
    STUCK_MS = 250,   /* so does a batch, on the same disk */
};

struct waiter {
    struct tb_list link;
    struct tb_hold hold;
    uint64_t number;
    int64_t since_ms;
};

static void end_first(struct tb_light *light, const struct tb_err *err)
{
    struct waiter *waiter = TB_CONTAINER(tb_list_pop(&light->waiting), struct waiter, link);
    tb_hold_release(&waiter->hold, err);
    tb_free(waiter);
}

static const struct waiter *first(const struct tb_light *light)
{
    return tb_list_empty(&light->waiting) ? NULL
                                          : TB_CONTAINER(light->waiting.next, struct waiter, link);
}

void tb_light_stored(struct tb_sqlite *store, uint64_t number)
{
    struct tb_light *light = &store->light;
    while (first(light) && first(light)->number <= number) {
        end_first(light, NULL);
    }
}

void tb_light_give_up(struct tb_sqlite *store, bool all, const struct tb_err *err)
{
    struct tb_light *light = &store->light;
    while (first(light) && (all || tb_writer_tried_enough(store, first(light)->since_ms))) {
        end_first(light, err);
    }
}

static void wait(struct tb_sqlite *store, struct tb_gate *gate)
{
    struct waiter *waiter = TB_NEW(struct waiter);
    waiter->number = store->writer.asked;
    waiter->since_ms = tb_loop_now_ms(store->core->loop);
    tb_list_append(&store->light.waiting, &waiter->link);
    tb_gate_hold(gate, &waiter->hold);
}

void tb_light_broken(struct tb_sqlite *store, const struct tb_err *err)
{
    if (!store->light.broken) {
        store->light.broken = true;
        tb_store_report(store->core, err);
    }
}

void tb_light_renewed(struct tb_sqlite *store)
{
    struct tb_light *light = &store->light;
    light->broken = false;
    light->direct_until_ms = 0;
    tb_intake_renewed(store->intake);
    tb_store_report(store->core, NULL);
}

static int write_part(void *user)
{
    struct tb_sqlite *store = user;
    struct tb_light *light = &store->light;
    int rc = tb_intake_write(store->intake, &light->part, store->writer.mover.sync, &light->result);
    return rc < 0 ? rc : tb_intake_check(store->intake, &light->result);
}

static void on_part(int status, void *user)
{
    struct tb_sqlite *store = user;
    struct tb_light *light = &store->light;
    int64_t now_ms = tb_clock_mono_ms(store->core->clock);
    light->work = NULL;
    if (status < 0) {
        tb_light_broken(store, &light->result);
    } else {
        tb_intake_written(store->intake, &light->part);
        light->direct_until_ms = now_ms - light->began_ms > SLOW_MS ? 0 : now_ms + DIRECT_MS;
        tb_light_stored(store, light->part_number);
    }
    tb_writer_due(store); /* a batch goes first: there may always be another part */
    tb_light_go(store);
    if (status < 0) {
        tb_writer_hurry(store); /* those who wait get it from the batch */
    } else {
        tb_writer_look(store);
    }
}

void tb_light_go(struct tb_sqlite *store)
{
    struct tb_light *light = &store->light;
    if (light->work || light->broken || store->closing ||
        !tb_intake_part(store->intake, &light->part)) {
        return;
    }
    light->part_number =
        tb_intake_frozen_stored(store->intake) ? store->writer.asked : store->writer.taken;
    light->began_ms = tb_clock_mono_ms(store->core->clock);
    light->work = tb_work_submit(store->core->loop, write_part, on_part, store);
}

static bool may_write(const struct tb_sqlite *store, int64_t now_ms)
{
    const struct tb_light *light = &store->light;
    const struct tb_writer *writer = &store->writer;
    bool stuck = writer->work && now_ms - writer->began_ms > STUCK_MS;
    return now_ms < light->direct_until_ms && !stuck && !writer->mover.sync && !light->work &&
           !light->broken && tb_list_empty(&light->waiting);
}

static bool write_directly(struct tb_sqlite *store)
{
    struct tb_light *light = &store->light;
    struct tb_intake_part part;
    struct tb_err err;
    int64_t now_ms = tb_clock_mono_ms(store->core->clock);
    if (!may_write(store, now_ms) || !tb_intake_part(store->intake, &part)) {
        return false;
    }
    if (tb_intake_write(store->intake, &part, false, &err) < 0) {
        tb_light_broken(store, &err);
        return false;
    }
    tb_intake_written(store->intake, &part);
    if (tb_clock_mono_ms(store->core->clock) - now_ms > SLOW_MS) {
        light->direct_until_ms = 0;
    }
    return true;
}

void tb_light_wrote(struct tb_sqlite *store, struct tb_gate *gate)
{
    if (!write_directly(store)) {
        wait(store, gate);
        tb_light_go(store);
        if (store->light.broken) {
            tb_writer_hurry(store);
        }
    }
}

void tb_light_init(struct tb_sqlite *store)
{
    tb_list_init(&store->light.waiting);
}

void tb_light_settle(struct tb_sqlite *store)
{
    while (store->light.work) {
        tb_loop_turn(store->core->loop, true);
    }
}
