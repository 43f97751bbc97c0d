/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/watch.h"

#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/dirs.h"
#include "daemon/secret.h"
#include "io/timer.h"
#include "io/work.h"

enum {
    WATCH_MS = 5000,
};

struct tb_watch {
    struct tb_core *core;
    struct tb_doors *doors;
    struct tb_timer timer;
    struct tb_work *work; /* NULL: none under way */
    char *socket_path;
    bool socket_gone; /* the worker's while it is at work */
    bool socket_told; /* that it cannot be made again */
    int secret_rc;    /* of tb_secret_keep; the worker's, like the words */
    struct tb_err secret_err;
    bool secret_told;
};

/* On a worker, since a disk may hang. */
static int look(void *user)
{
    struct tb_watch *watch = user;
    watch->socket_gone =
        access(watch->socket_path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
    watch->secret_rc =
        tb_secret_keep(watch->core->config->state_dir, watch->core->secret, &watch->secret_err);
    return 0;
}

static void tell_secret(struct tb_watch *watch)
{
    int rc = watch->secret_rc;
    if (rc > 0) {
        tb_log_at(watch->core->log, WARN, "daemon", "the secret was removed and is written again",
                  tb_kv_cstr("state", watch->core->config->state_dir));
    } else if (rc < 0 && !watch->secret_told) {
        tb_log_at(watch->core->log, ERROR, "daemon",
                  "the secret is not in its file; the next start will refuse what is stored",
                  tb_kv_cstr("reason", watch->secret_err.text));
    }
    watch->secret_told = rc < 0;
}

static void mend_socket(struct tb_watch *watch)
{
    struct tb_err err;
    int rc = watch->socket_gone ? tb_doors_renew_socket(watch->doors, &err) : 0;
    if (rc > 0) {
        tb_log_at(watch->core->log, WARN, "daemon", "the socket was removed and is made again",
                  tb_kv_cstr("path", watch->socket_path));
    } else if (rc < 0 && !watch->socket_told) {
        tb_log_at(watch->core->log, ERROR, "daemon",
                  "the socket was removed and cannot be made again; no agent can connect by it",
                  tb_kv_cstr("path", watch->socket_path), tb_kv_cstr("reason", err.text));
    }
    watch->socket_told = rc < 0;
}

static void on_looked(int status, void *user)
{
    struct tb_watch *watch = user;
    watch->work = NULL;
    if (status == 0) {
        tell_secret(watch);
        mend_socket(watch);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_watch *watch = user;
    tb_timer_start(timer, WATCH_MS);
    if (!watch->work) {
        watch->work = tb_work_submit(watch->core->loop, look, on_looked, watch);
    }
}

struct tb_watch *tb_watch_new(struct tb_core *core, struct tb_doors *doors)
{
    struct tb_watch *watch = TB_NEW(struct tb_watch);
    watch->core = core;
    watch->doors = doors;
    watch->socket_path = tb_dirs_socket(core->config);
    tb_timer_init(&watch->timer, core->loop, on_timer, watch);
    tb_timer_start(&watch->timer, WATCH_MS);
    return watch;
}

void tb_watch_free(struct tb_watch *watch)
{
    if (!watch) {
        return;
    }
    if (watch->work) {
        tb_work_cancel(watch->work);
    }
    while (watch->work) {
        tb_loop_turn(watch->core->loop, true);
    }
    look(watch);
    tell_secret(watch);
    tb_timer_fini(&watch->timer);
    tb_free(watch->socket_path);
    tb_free(watch);
}
