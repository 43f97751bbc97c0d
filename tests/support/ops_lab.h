/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of operations: the driver with a real browser and the real page scripts, a site on
 * loopback, and a session on which operations run to their end, one after the other. One browser a
 * program, a fresh session a test. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"
#include "core/core.h"
#include "core/driver.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/cdp.h"
#include "io/exec_guard.h"
#include "io/http_server.h"
#include "io/listener.h"
#include "io/timer.h"

enum {
    OPS_MS = 60000, /* an operation that takes longer has failed the test */
};

struct ops_doc {
    const char *path;
    const char *body;
    const char *type;   /* NULL: text/html; charset=utf-8 */
    int status;         /* 0: 200 */
    const char *header; /* one more header's name and value; NULL: none */
    const char *value;
};

struct ops_lab {
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp_fleet *fleet;
    struct tb_listener *listener;
    struct tb_http_server *server;
    const struct ops_doc *docs; /* ended by a NULL path; {port} in a body becomes the port */
    int port;
    struct tb_buf visits; /* what was asked of the site, one path a line */
    char session_id[32];
    char state_dir[64];
    struct tb_str saved; /* what ops_open is to bring back */
    struct cJSON *start; /* the arguments that it opens with; NULL: none */
    struct tb_driver_session *session;
    bool opened;
    bool closed;
    bool dismisses; /* of the operations */
    int (*reveal)(struct tb_op *op, struct tb_str text, const struct tb_str *origins, size_t count,
                  struct tb_buf *out, struct tb_err *err); /* the same */
    int64_t element_ms; /* how long a test's operations wait for an element; 0: all their time */
    struct tb_op op;
    struct cJSON *args;
    struct tb_result result;
    int dones;
    char text[8192]; /* of ops_text */
};

/* For cmocka's groups: *state is the lab. */
int ops_lab_start(void **state, const struct ops_doc *docs);
int ops_lab_stop(void **state);
/* A setting, before the first session. */
void ops_set(struct ops_lab *lab, const char *path, const char *value);
/* For each test. */
int ops_open(void **state);
int ops_close(void **state);
/* Closes the session while an operation runs; ops_close then has only to tidy up. */
void ops_close_during(struct ops_lab *lab);

/* Begins an operation; args is JSON with ' for ". ops_end waits for its end. */
void ops_begin(struct ops_lab *lab, enum tb_op_kind kind, int64_t ms, const char *args);
int ops_end(struct ops_lab *lab);
/* The one under way; NULL: none. */
struct tb_cdp_work *ops_work(const struct ops_lab *lab);
/* Both; gives the result's code. */
int ops_run(struct ops_lab *lab, enum tb_op_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, and the test fails unless the operation ends well, or with this code. */
void ops_ok(struct ops_lab *lab, enum tb_op_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ops_fails(struct ops_lab *lab, int code, enum tb_op_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Runs one of which the page does not tell all that is expected: it tells that it was struck, if
 * `struck`, and nothing is waited for after that. Gives the result's code. */
int ops_run_unheard(struct ops_lab *lab, bool struck, enum tb_op_kind kind, const char *args);
/* Goes to a path of the site. */
void ops_goto(struct ops_lab *lab, const char *path);

/* What the last operation gave: a text or number of its data as text, "" if there is none. */
const char *ops_text(struct ops_lab *lab, const char *key);
int64_t ops_int(struct ops_lab *lab, const char *key);
/* Its text, ended by NUL. */
const char *ops_out(struct ops_lab *lab);
/* The value of a script, as JSON. */
const char *ops_eval(struct ops_lab *lab, const char *script);
/* The ref in the first line of the last outline that has these words. */
void ops_ref(struct ops_lab *lab, const char *words, char ret_ref[32]);

#define OPS_WAIT(lab, condition)                                        \
    do {                                                                \
        bool ops_is_late = false;                                       \
        struct tb_timer ops_timer;                                      \
        tb_timer_init(&ops_timer, (lab)->loop, ops_late, &ops_is_late); \
        tb_timer_start(&ops_timer, OPS_MS);                             \
        while (!(condition) && !ops_is_late) {                          \
            tb_loop_turn((lab)->loop, true);                            \
        }                                                               \
        tb_timer_fini(&ops_timer);                                      \
        assert_true(condition);                                         \
    } while (0)
void ops_late(struct tb_timer *timer, void *user);

#define OPS_TEST(name) cmocka_unit_test_setup_teardown(name, ops_open, ops_close)
