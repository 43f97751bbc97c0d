/* SPDX-License-Identifier: Apache-2.0 */
/* The driver and the viewers are only called from the job, once a turn: a driver never from inside
 * its own call, a viewer never from inside one of its own. */
#include "core/watch.h"

#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/session_internal.h"

static const char WHY[] = "newest";

/* Made with the first viewer, and kept as long as the session. */
struct tb_watch {
    struct tb_session *session;
    struct tb_driver_session *source; /* NULL: it is not open, so there are no pictures */
    struct tb_list viewers;
    size_t count;
    struct tb_picture *newest; /* NULL: none yet */
    uint64_t number;           /* of the newest one, from 1 */
    struct tb_want asked;      /* of the driver; width 0: nothing */
    bool waiting;              /* the driver waits for next_picture */
    bool passed_on;            /* a viewer has passed on the newest one */
    struct tb_deferred job;
};

static void look_soon(struct tb_watch *watch)
{
    tb_loop_defer(watch->session->core->loop, &watch->job);
}

static void drop_newest(struct tb_watch *watch)
{
    tb_picture_unref(watch->newest, WHY);
    watch->newest = NULL;
}

static struct tb_viewer *viewer_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_viewer, link);
}

/* The largest that anybody wants; width 0: nobody looks. */
static struct tb_want wanted(const struct tb_watch *watch)
{
    struct tb_want most = {0, 0};
    LIST_FOREACH(link, &watch->viewers) {
        const struct tb_want *want = &viewer_of(link)->want;
        most.width = want->width > most.width ? want->width : most.width;
        most.height = want->height > most.height ? want->height : most.height;
    }
    return most;
}

static void ask(struct tb_watch *watch)
{
    const struct tb_driver *driver = watch->session->driver;
    const struct tb_want want = wanted(watch);
    bool same = want.width == watch->asked.width && want.height == watch->asked.height;
    if (!same) {
        watch->asked = want;
        watch->waiting = false;
        driver->watch(watch->source, want.width ? &want : NULL);
    } else if (watch->waiting && watch->passed_on) {
        watch->waiting = false;
        driver->next_picture(watch->source);
    }
}

static struct tb_viewer *find_ready(const struct tb_watch *watch)
{
    LIST_FOREACH(link, &watch->viewers) {
        struct tb_viewer *viewer = viewer_of(link);
        if (!viewer->busy && viewer->seen != watch->number) {
            return viewer;
        }
    }
    return NULL;
}

/* Any viewer may stop, and the session end, inside `show`. */
static void show(struct tb_watch *watch)
{
    struct tb_viewer *viewer;
    while (watch->newest && (viewer = find_ready(watch))) {
        struct tb_picture *picture = tb_picture_ref(watch->newest, "show");
        viewer->busy = true;
        viewer->seen = watch->number;
        viewer->show(viewer, picture);
        tb_picture_unref(picture, "show");
    }
}

static void run(struct tb_deferred *job)
{
    struct tb_watch *watch = TB_CONTAINER(job, struct tb_watch, job);
    show(watch);
    if (tb_list_empty(&watch->viewers)) {
        drop_newest(watch);
    }
    if (watch->source) {
        ask(watch);
    }
}

static struct tb_watch *make(struct tb_session *session)
{
    if (!session->watch) {
        struct tb_watch *watch = TB_NEW(struct tb_watch);
        watch->session = session;
        watch->job.run = run;
        tb_list_init(&watch->job.link);
        tb_list_init(&watch->viewers);
        session->watch = watch;
        tb_watch_resume(session);
    }
    return session->watch;
}

int tb_watch_start(struct tb_session *session, struct tb_viewer *viewer, struct tb_err *err)
{
    if (tb_session_ended(session)) {
        return tb_fail(err, TB_E_SESSION_ENDED, "Session '%s' has ended", session->name);
    }
    if (!session->driver->watch) {
        return tb_fail(err, TB_E_NOT_POSSIBLE, "session '%s' (%s, driver %s) cannot be watched",
                       session->name, tb_session_kind_name(session->kind), session->driver->name);
    }
    struct tb_watch *watch = make(session);
    if (watch->count >= TB_VIEWERS_MAX) {
        return tb_fail(err, TB_E_LIMIT, "session '%s' is already watched by %d", session->name,
                       TB_VIEWERS_MAX);
    }
    viewer->watch = watch;
    viewer->seen = 0;
    viewer->busy = false;
    tb_list_append(&watch->viewers, &viewer->link);
    watch->count++;
    look_soon(watch);
    return 0;
}

void tb_watch_stop(struct tb_viewer *viewer)
{
    struct tb_watch *watch = viewer->watch;
    if (!watch) {
        return;
    }
    viewer->watch = NULL;
    tb_list_remove(&viewer->link);
    watch->count--;
    look_soon(watch);
}

void tb_watch_ready(struct tb_viewer *viewer)
{
    struct tb_watch *watch = viewer->watch;
    viewer->busy = false;
    if (watch) {
        watch->passed_on = watch->passed_on || viewer->seen == watch->number;
        look_soon(watch);
    }
}

/* From the session. */

void tb_watch_resume(struct tb_session *session)
{
    struct tb_watch *watch = session->watch;
    bool is_there = session->side == TB_SIDE_OPEN && session->state != TB_STATE_AWAY;
    if (watch && is_there && !session->trouble) {
        watch->source = session->driver_session;
        look_soon(watch);
    }
}

void tb_watch_pause(struct tb_session *session)
{
    struct tb_watch *watch = session->watch;
    if (watch) {
        watch->source = NULL;
        watch->asked = (struct tb_want){0, 0};
        drop_newest(watch);
    }
}

void tb_watch_on_picture(void *owner, struct tb_picture *picture)
{
    struct tb_watch *watch = ((struct tb_session *)owner)->watch;
    if (!watch || !watch->source) {
        return;
    }
    drop_newest(watch);
    watch->newest = tb_picture_ref(picture, WHY);
    watch->number++;
    watch->waiting = true;
    watch->passed_on = false;
    look_soon(watch);
}

void tb_watch_end(struct tb_session *session, enum tb_end_reason reason)
{
    struct tb_list *link;
    tb_watch_pause(session);
    while (session->watch && (link = tb_list_pop(&session->watch->viewers))) {
        struct tb_viewer *viewer = viewer_of(link);
        viewer->watch = NULL;
        session->watch->count--;
        viewer->ended(viewer, reason);
    }
}

void tb_watch_free(struct tb_watch *watch)
{
    if (!watch) {
        return;
    }
    struct tb_list *link;
    while ((link = tb_list_pop(&watch->viewers))) {
        viewer_of(link)->watch = NULL;
    }
    tb_deferred_cancel(&watch->job);
    drop_newest(watch);
    tb_free(watch);
}
