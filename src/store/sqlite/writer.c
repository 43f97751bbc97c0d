/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "store/sqlite/index.h"
#include "store/sqlite/state.h"

enum {
    GROUP_MS =
        100, /* so long more changes may join the first of a batch; they are safe meanwhile */
    BACKOFF_MS = 100,
    BACKOFF_MAX_MS = 2000,
    RENEW_MS = 1000,         /* between attempts to make a new intake */
    WATCH_MS = 5000,         /* between looks at the files while nothing is written */
    PATIENCE_MS = 10 * 1000, /* of those who wait while the database fails */
    FULL_MS = 1000,          /* the same while the disk is full */
    HURRY_BYTES = TB_INTAKE_HALF_BYTES / 4,
};

static void begin_batch(struct tb_sqlite *store);

static bool anything_left(const struct tb_sqlite *store)
{
    return store->writer.moved < store->writer.asked || !store->writer.opened ||
           store->writer.suspect;
}

static bool somebody_waits(const struct tb_sqlite *store)
{
    return !tb_list_empty(&store->writer.queue) || tb_reader_waits(store) ||
           (store->light.broken && !tb_list_empty(&store->light.waiting));
}

/* The next batch, if there is anything for it: at once if somebody waits. The check of the file
 * lets readers go first: the sessions of the last run are among them. */
static void plan(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    if (writer->work || store->closing) {
        return;
    }
    if (!anything_left(store) && (writer->mover.checked || store->reader.running)) {
        if (store->light.broken && !tb_timer_armed(&writer->timer)) {
            tb_timer_start(&writer->timer, RENEW_MS);
        }
        return;
    }
    if (writer->trouble.code) {
        tb_timer_start(&writer->timer, writer->backoff_ms);
    } else if (!writer->opened || somebody_waits(store) ||
               tb_intake_used(store->intake) > HURRY_BYTES) {
        begin_batch(store);
    } else if (!tb_timer_armed(&writer->timer)) {
        tb_timer_start(&writer->timer, GROUP_MS);
    }
}

static void end_heavy(struct tb_writer *writer, struct tb_heavy *heavy, const struct tb_err *err)
{
    tb_list_remove(&heavy->link);
    if (heavy->record.len && tb_map_get(&writer->records, heavy->record) == heavy) {
        tb_map_remove(&writer->records, heavy->record);
    }
    tb_buf_fini(&heavy->bytes);
    tb_hold_release(&heavy->hold, err);
    tb_free(heavy);
}

static void end_all(struct tb_writer *writer, struct tb_list *list, const struct tb_err *err)
{
    while (!tb_list_empty(list)) {
        end_heavy(writer, TB_CONTAINER(list->next, struct tb_heavy, link), err);
    }
}

static void end_moved(struct tb_writer *writer, struct tb_list *list)
{
    struct tb_err err;
    tb_fail(&err, TB_E_EXISTS, "there is such a record already");
    while (!tb_list_empty(list)) {
        struct tb_heavy *heavy = TB_CONTAINER(list->next, struct tb_heavy, link);
        end_heavy(writer, heavy, heavy->exists ? &err : NULL);
    }
}

static void batch_good(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    struct tb_list moved; /* whoever hears of it may write, which may begin the next batch */
    tb_list_init(&moved);
    tb_list_splice(&moved, &writer->batch);
    tb_intake_release(store->intake);
    writer->moved = writer->taken;
    writer->opened = true;
    writer->backoff_ms = 0;
    if (writer->trouble.code) {
        writer->trouble.code = 0;
        tb_store_report(store->core, NULL);
    }
    end_moved(writer, &moved);
    tb_light_stored(store, writer->moved);
}

/* Whoever has locked the database is done in a while; a full disk stays full until somebody comes.
 */
bool tb_writer_tried_enough(const struct tb_sqlite *store, int64_t since_ms)
{
    int64_t patience_ms = store->writer.mover.full ? FULL_MS : PATIENCE_MS;
    return tb_loop_now_ms(store->core->loop) - since_ms >= patience_ms;
}

static void end_late(struct tb_sqlite *store, struct tb_list *list)
{
    while (!tb_list_empty(list)) {
        struct tb_heavy *first = TB_CONTAINER(list->next, struct tb_heavy, link);
        if (!tb_writer_tried_enough(store, first->since_ms) && !store->closing &&
            !store->writer.lost) {
            return;
        }
        end_heavy(&store->writer, first, &store->writer.trouble);
    }
}

/* Everything waits for the next attempt, but only so long. */
static void batch_bad(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    if (!writer->trouble.code) {
        tb_store_report(store->core, &writer->result);
    }
    writer->trouble = writer->result;
    int64_t next_ms = writer->backoff_ms * 2;
    writer->backoff_ms = next_ms < BACKOFF_MS       ? BACKOFF_MS
                         : next_ms < BACKOFF_MAX_MS ? next_ms
                                                    : BACKOFF_MAX_MS;
    end_late(store, &writer->batch);
    end_late(store, &writer->queue);
    tb_light_give_up(store, writer->lost, &writer->trouble);
    tb_reader_give_up(store, &writer->trouble);
}

static void look_at_intake(struct tb_sqlite *store)
{
    const struct tb_mover *mover = &store->writer.mover;
    if (mover->renewed) {
        tb_light_renewed(store);
    }
    if (mover->intake_err.code) {
        tb_light_broken(store, &mover->intake_err);
    }
}

static void on_batch(int status, void *user)
{
    struct tb_sqlite *store = user;
    struct tb_writer *writer = &store->writer;
    writer->work = NULL;
    if (writer->mover.note.code) {
        tb_store_report(store->core, &writer->mover.note);
        writer->mover.note.code = 0;
    }
    bool replaced = writer->mover.replaced;
    if (replaced) {
        writer->mover.replaced = false;
        store->reader.stale = true;
    }
    writer->lost = writer->mover.lost;
    writer->anew = writer->mover.index_bad;
    look_at_intake(store);
    if (status == 0) {
        tb_metrics_observe(&store->core->metrics, TB_HISTOGRAM_COMMIT, "", writer->took_us);
        batch_good(store);
    } else {
        batch_bad(store);
    }
    tb_reader_go(store);
    if (!store->closing) {
        plan(store);
        tb_light_go(store);
    }
    if (replaced && !store->closing) {
        tb_sqlite_claims_replaced(store);
        tb_store_replaced(store->core);
    }
}

static int run_batch(void *user)
{
    struct tb_sqlite *store = user;
    int64_t began_us = tb_clock_precise_us();
    int rc = tb_mover_run(&store->writer.mover, &store->writer.batch, &store->writer.result);
    store->writer.took_us = tb_clock_precise_us() - began_us;
    return rc;
}

static void begin_batch(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    tb_timer_stop(&writer->timer);
    writer->due = store->light.work != NULL;
    if (writer->due) {
        return;
    }
    if (writer->anew && !tb_reader_leave(store)) {
        tb_timer_start(&writer->timer, BACKOFF_MS);
        return;
    }
    /* After a failure the same again: what was asked for since is newer than the half that is still
     * frozen, but not than the other. Then another batch follows. */
    if (!tb_intake_frozen(store->intake)) {
        tb_intake_freeze(store->intake);
        tb_list_splice(&writer->batch, &writer->queue);
        writer->taken = writer->asked;
    }
    /* Those whose changes are not in the file yet do not wait for the database. */
    if (!tb_intake_frozen_stored(store->intake) && !store->light.broken && !store->closing) {
        writer->due = true;
        tb_light_go(store);
        return;
    }
    if (writer->suspect) {
        writer->suspect = false;
        writer->mover.checked = false;
    }
    writer->mover.renew = store->light.broken;
    writer->mover.index_anew = writer->anew;
    if (writer->anew) {
        tb_index_guard(); /* nothing of the old one is in use */
    }
    writer->began_ms = tb_clock_mono_ms(store->core->clock);
    writer->work = tb_work_submit(store->core->loop, run_batch, on_batch, store);
}

static void on_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    begin_batch(user);
}

static int run_watch(void *user)
{
    struct tb_sqlite *store = user;
    return tb_mover_watch(&store->writer.mover);
}

static void on_watch(int status, void *user)
{
    struct tb_sqlite *store = user;
    store->writer.work = NULL;
    store->writer.suspect = store->writer.suspect || status < 0; /* the next batch tells why */
    if (!store->closing) {
        plan(store);
        tb_light_go(store);
    }
}

/* Batches look for themselves. */
static void on_watch_timer(struct tb_timer *timer, void *user)
{
    struct tb_sqlite *store = user;
    struct tb_writer *writer = &store->writer;
    tb_timer_start(timer, WATCH_MS);
    if (!writer->work && !writer->due && !tb_timer_armed(&writer->timer)) {
        writer->began_ms = tb_clock_mono_ms(store->core->clock);
        writer->work = tb_work_submit(store->core->loop, run_watch, on_watch, store);
    }
}

void tb_writer_init(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    tb_list_init(&writer->queue);
    tb_list_init(&writer->batch);
    tb_map_init(&writer->records);
    tb_timer_init(&writer->timer, store->core->loop, on_timer, store);
    tb_timer_init(&writer->watch, store->core->loop, on_watch_timer, store);
    tb_timer_start(&writer->watch, WATCH_MS);
    writer->mover.path = store->path;
    writer->mover.secret = store->core->secret;
    writer->mover.intake = store->intake;
    writer->mover.sync = tb_str_eq_cstr(tb_str_of(store->core->config->store_sync), "full");
    /* After a kill both halves may have something: the one that is not frozen is the second batch.
     */
    writer->asked = tb_intake_used(store->intake) ? 1 : 0;
    begin_batch(store);
}

static void wait_for_batch(struct tb_sqlite *store)
{
    while (store->writer.work) {
        tb_loop_turn(store->core->loop, true);
    }
}

void tb_writer_fini(struct tb_sqlite *store)
{
    struct tb_writer *writer = &store->writer;
    tb_timer_fini(&writer->timer);
    tb_timer_fini(&writer->watch);
    wait_for_batch(store);
    tb_light_settle(store);
    /* One more attempt even if the last failed. What stays in the intake is moved at the next
     * start; the rest was never acknowledged. */
    do {
        if (anything_left(store)) {
            begin_batch(store);
            wait_for_batch(store);
        }
    } while (anything_left(store) && !writer->trouble.code);
    end_all(writer, &writer->batch, &writer->trouble);
    end_all(writer, &writer->queue, &writer->trouble);
    tb_map_fini(&writer->records);
    tb_light_give_up(store, true, &writer->trouble);
    tb_mover_fini(&writer->mover);
}

void tb_writer_due(struct tb_sqlite *store)
{
    if (store->writer.due && !store->closing) {
        begin_batch(store);
    }
}

void tb_writer_hurry(struct tb_sqlite *store)
{
    if (!store->writer.work && !store->writer.trouble.code && !store->closing) {
        begin_batch(store);
    }
}

void tb_writer_look(struct tb_sqlite *store)
{
    const struct tb_writer *writer = &store->writer;
    bool hurries = !writer->trouble.code && tb_intake_used(store->intake) > HURRY_BYTES;
    if (!tb_timer_armed(&writer->timer) || hurries) {
        plan(store);
    }
}

void tb_writer_wrote(struct tb_sqlite *store, struct tb_gate *gate)
{
    store->writer.asked++;
    tb_light_wrote(store, gate);
    tb_writer_look(store);
}

bool tb_writer_queued(const struct tb_sqlite *store, struct tb_str record)
{
    const struct tb_map *records = &store->writer.records;
    return records->count && tb_map_get(records, record);
}

void tb_writer_queue_take(struct tb_sqlite *store, struct tb_buf *bytes, struct tb_str record,
                          struct tb_gate *gate)
{
    struct tb_heavy *heavy = TB_NEW(struct tb_heavy);
    heavy->bytes = *bytes;
    tb_buf_init(bytes, bytes->max);
    heavy->record = record;
    if (record.len) {
        tb_map_remove(&store->writer.records, record);
        tb_map_add(&store->writer.records, record, heavy);
    }
    heavy->since_ms = tb_loop_now_ms(store->core->loop);
    tb_list_append(&store->writer.queue, &heavy->link);
    tb_gate_hold(gate, &heavy->hold);
    store->writer.asked++;
    tb_writer_hurry(store);
}
