/* SPDX-License-Identifier: Apache-2.0 */
/*   added --> at the store --done--> freed
 *                ^   |
 *     repeated --+   +--failed--> left, until the timer or somebody who asks */
#include "core/removals.h"

#include <string.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_internal.h"
#include "io/timer.h"

enum {
    RETRY_MS = 1000,
};

struct tb_removals {
    struct tb_core *core;
    struct tb_timer timer;
    struct tb_list running; /* the store has not answered */
    struct tb_list left;
    size_t left_count;
    bool complained;
};

struct removal {
    struct tb_list link;
    struct tb_removals *removals;
    const struct tb_tenant *tenant;
    char id[TB_ID_SIZE];
    struct tb_gate gate; /* the store's answer */
    struct tb_hold hold; /* of the reply that waits for it */
};

static struct removal *removal_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct removal, link);
}

static void removal_free(struct removal *removal)
{
    tb_list_remove(&removal->link);
    tb_gate_fini(&removal->gate);
    tb_free(removal);
}

/* For another attempt; false: there is no room. */
static bool keep(struct removal *removal, const struct tb_err *err)
{
    struct tb_removals *removals = removal->removals;
    struct tb_log *log = removals->core->log;
    if (removals->left_count >= TB_REMOVALS_MAX) {
        tb_log_at(log, ERROR, "session", "an ended session stays in the store",
                  tb_kv("id", tb_str_sub(tb_str_of(removal->id), 0, TB_ID_SHOWN)),
                  tb_kv_cstr("reason", err->text));
        return false;
    }
    removals->left_count++;
    if (!removals->complained) {
        removals->complained = true;
        tb_log_at(log, WARN, "session", "ended sessions cannot be removed from the store yet",
                  tb_kv_cstr("reason", err->text));
    }
    tb_list_remove(&removal->link);
    tb_list_append(&removals->left, &removal->link);
    if (!tb_timer_armed(&removals->timer)) {
        tb_timer_start(&removals->timer, RETRY_MS);
    }
    return true;
}

static void look_if_all_gone(struct tb_removals *removals)
{
    if (removals->complained && !removals->left_count && tb_list_empty(&removals->running)) {
        removals->complained = false;
        tb_log_at(removals->core->log, INFO, "session", "ended sessions removed from the store");
    }
}

/* Whoever waits is told last: it may end other sessions. */
static void on_answer(struct tb_gate *gate)
{
    struct removal *removal = TB_CONTAINER(gate, struct removal, gate);
    struct tb_removals *removals = removal->removals;
    struct tb_err err = gate->err;
    if (err.code < 0 && keep(removal, &err)) {
        tb_hold_release(&removal->hold, &err);
        return;
    }
    tb_list_remove(&removal->link);
    look_if_all_gone(removals);
    tb_hold_release(&removal->hold, err.code < 0 ? &err : NULL);
    removal_free(removal);
}

static void ask(struct removal *removal, struct tb_gate *gate)
{
    const struct tb_store *store = &removal->removals->core->store;
    tb_gate_init(&removal->gate, on_answer);
    /* In this order, and not the second without the first: there must be no logins that belong to
     * no session. */
    tb_store_remove(store, TB_SPACE_STATE, tb_str_of(removal->id), &removal->gate);
    if (removal->gate.err.code == 0) {
        tb_store_remove(store, TB_SPACE_SESSION, tb_str_of(removal->id), &removal->gate);
    }
    if (tb_gate_shut(&removal->gate)) {
        tb_list_append(&removal->removals->running, &removal->link);
        tb_gate_hold(gate, &removal->hold);
    } else {
        tb_gate_hold(NULL, &removal->hold);
        if (removal->gate.err.code < 0) {
            tb_gate_fail(gate, &removal->gate.err);
        }
        on_answer(&removal->gate);
    }
}

/* `tenant` is NULL for all. */
static void ask_again(struct tb_removals *removals, const struct tb_tenant *tenant,
                      struct tb_gate *gate)
{
    struct tb_list all;
    struct tb_list *link;
    tb_list_init(&all);
    tb_list_splice(&all, &removals->left);
    while ((link = tb_list_pop(&all))) {
        struct removal *removal = removal_of(link);
        if (tenant && removal->tenant != tenant) {
            tb_list_append(&removals->left, link);
        } else {
            removals->left_count--;
            ask(removal, gate);
        }
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_removals *removals = user;
    if (tb_store_ready(&removals->core->store, NULL)) {
        ask_again(removals, NULL, NULL);
    }
    if (removals->left_count) {
        tb_timer_start(timer, RETRY_MS);
    }
}

void tb_removals_add(struct tb_removals *removals, const struct tb_session *session,
                     struct tb_gate *gate)
{
    if (!removals->core->store.kind) {
        return;
    }
    struct removal *removal = TB_NEW(struct removal);
    removal->removals = removals;
    removal->tenant = session->places.home;
    memcpy(removal->id, session->id, sizeof(removal->id));
    tb_list_init(&removal->link);
    ask(removal, gate);
}

void tb_removals_repeat(struct tb_removals *removals, const struct tb_tenant *tenant,
                        struct tb_gate *gate)
{
    LIST_FOREACH(link, &removals->running) {
        struct removal *removal = removal_of(link);
        if (removal->tenant == tenant && !removal->hold.gate) {
            tb_gate_hold(gate, &removal->hold);
        }
    }
    ask_again(removals, tenant, gate);
}

struct tb_removals *tb_removals_new(struct tb_core *core)
{
    struct tb_removals *removals = TB_NEW(struct tb_removals);
    removals->core = core;
    tb_list_init(&removals->running);
    tb_list_init(&removals->left);
    tb_timer_init(&removals->timer, core->loop, on_timer, removals);
    return removals;
}

static void free_all(struct tb_list *list)
{
    struct tb_err err;
    tb_fail(&err, TB_E_SHUTDOWN, "the daemon is stopping");
    while (!tb_list_empty(list)) {
        struct removal *removal = removal_of(list->next);
        tb_hold_release(&removal->hold, &err);
        removal_free(removal);
    }
}

void tb_removals_free(struct tb_removals *removals)
{
    if (!removals) {
        return;
    }
    ask_again(removals, NULL, NULL);
    if (removals->left_count) {
        tb_log_at(removals->core->log, ERROR, "session", "ended sessions stay in the store",
                  tb_kv_int("count", (int64_t)removals->left_count));
    }
    tb_timer_fini(&removals->timer);
    free_all(&removals->running);
    free_all(&removals->left);
    tb_free(removals);
}
