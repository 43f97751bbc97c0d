/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/caretaker.h"

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

struct tb_caretaker {
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
    struct tb_caretaker *caretaker = user;
    caretaker->socket_gone =
        access(caretaker->socket_path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
    caretaker->secret_rc = tb_secret_keep(caretaker->core->config->state_dir,
                                          caretaker->core->secret, &caretaker->secret_err);
    return 0;
}

static void tell_secret(struct tb_caretaker *caretaker)
{
    int rc = caretaker->secret_rc;
    if (rc > 0) {
        tb_log_at(caretaker->core->log, WARN, "daemon",
                  "the secret was removed and has been written again",
                  tb_kv_cstr("state", caretaker->core->config->state_dir));
    } else if (rc < 0 && !caretaker->secret_told) {
        tb_log_at(caretaker->core->log, ERROR, "daemon",
                  "the secret is not in its file; the next start will refuse what is stored",
                  tb_kv_cstr("reason", caretaker->secret_err.text));
    }
    caretaker->secret_told = rc < 0;
}

static void mend_socket(struct tb_caretaker *caretaker)
{
    struct tb_err err;
    int rc = caretaker->socket_gone ? tb_doors_renew_socket(caretaker->doors, &err) : 0;
    if (rc > 0) {
        tb_log_at(caretaker->core->log, WARN, "daemon",
                  "the socket was removed and has been created again",
                  tb_kv_cstr("path", caretaker->socket_path));
    } else if (rc < 0 && !caretaker->socket_told) {
        tb_log_at(
            caretaker->core->log, ERROR, "daemon",
            "the socket was removed and cannot be created again; no agent can connect through it",
            tb_kv_cstr("path", caretaker->socket_path), tb_kv_cstr("reason", err.text));
    }
    caretaker->socket_told = rc < 0;
}

static void on_looked(int status, void *user)
{
    struct tb_caretaker *caretaker = user;
    caretaker->work = NULL;
    if (status == 0) {
        tell_secret(caretaker);
        mend_socket(caretaker);
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_caretaker *caretaker = user;
    tb_timer_start(timer, WATCH_MS);
    if (!caretaker->work) {
        caretaker->work = tb_work_submit(caretaker->core->loop, look, on_looked, caretaker);
    }
}

struct tb_caretaker *tb_caretaker_new(struct tb_core *core, struct tb_doors *doors)
{
    struct tb_caretaker *caretaker = TB_NEW(struct tb_caretaker);
    caretaker->core = core;
    caretaker->doors = doors;
    caretaker->socket_path = tb_dirs_socket(core->config);
    tb_timer_init(&caretaker->timer, core->loop, on_timer, caretaker);
    tb_timer_start(&caretaker->timer, WATCH_MS);
    return caretaker;
}

void tb_caretaker_free(struct tb_caretaker *caretaker)
{
    if (!caretaker) {
        return;
    }
    if (caretaker->work) {
        tb_work_cancel(caretaker->work);
    }
    while (caretaker->work) {
        tb_loop_turn(caretaker->core->loop, true);
    }
    look(caretaker);
    tell_secret(caretaker);
    tb_timer_fini(&caretaker->timer);
    tb_free(caretaker->socket_path);
    tb_free(caretaker);
}
