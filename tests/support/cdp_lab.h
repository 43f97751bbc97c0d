/* SPDX-License-Identifier: Apache-2.0 */
/* For tests with a real browser: a driver in a loop of its own, a site on loopback, sessions, and
 * the few commands that a test needs to see what happened. All waiting is on events, with a
 * deadline. */
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "core/core.h"
#include "driver/cdp/browser/find.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/cdp.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/profile.h"
#include "io/exec_guard.h"
#include "io/http_server.h"
#include "io/listener.h"
#include "io/timer.h"

enum {
    LAB_MS = 60000, /* what takes longer has failed the test, on a loaded machine too */
};

struct lab_doc {
    const char *path;
    const char *type; /* NULL: text/html */
    const char *body;
    int status; /* 0: 200 */
};

struct lab {
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp_fleet *fleet;
    struct tb_listener *listener;
    struct tb_http_server *server;
    const struct lab_doc *docs; /* ended by a NULL path */
    struct tb_http_req *held;   /* a request for /held, never answered */
    struct tb_buf cookies;      /* what requests brought, one a line */
    char base[64];
};

/* A session and what it was told. */
struct lab_session {
    struct lab *lab;
    struct tb_driver_session *session;
    struct tb_err err;
    bool opened;
    bool closed;
    int lost;
    int events[TB_EVENT_COUNT];
};

/* A lab with one session: the state of a test. Without a browser both are empty. */
struct lab_setup {
    struct lab lab;
    struct lab_session session;
};

/* The answer to whatever was asked. */
struct lab_answer {
    bool done;
    int code;
    bool navigated;
    struct tb_cdp_page *page;
    char words[1024];
    char value[8192];
};

void lab_late(struct tb_timer *timer, void *user);
void lab_init(struct lab *lab, const struct lab_doc *docs);
void lab_fini(struct lab *lab);
void lab_set(struct lab *lab, const char *path, const char *value);
void lab_start(struct lab *lab, struct lab_session *session, const char *tenant, const char *args);
void lab_open(struct lab *lab, struct lab_session *session);
void lab_close(struct lab_session *session);
/* For cmocka. A setting may be given; else `path` is NULL. */
int lab_setup_open(void **state, const struct lab_doc *docs, const char *path, const char *value);
int lab_setup_close(void **state);
void lab_on_reply(int code, struct tb_str value, const struct tb_err *err, void *user);
void lab_on_settled(int code, bool navigated, const struct tb_err *err, void *user);
int64_t lab_deadline(struct lab *lab);
/* Begins to call a page function in the main frame of the current tab. */
void lab_begin_call(struct lab_session *session, struct lab_answer *answer, const char *function,
                    const char *args);
void lab_call(struct lab_session *session, struct lab_answer *answer, const char *function,
              const char *args);
/* A command to the current tab. */
void lab_begin(struct lab_session *session, struct lab_answer *answer, const char *method,
               const char *params);
void lab_send(struct lab_session *session, struct lab_answer *answer, const char *method,
              const char *params);
/* Runs a script in the page's own world; its value as JSON is in answer->value. */
void lab_eval(struct lab_session *session, struct lab_answer *answer, const char *script);
void lab_settle(struct lab_session *session, uint64_t mark, const char *until,
                struct lab_answer *answer);
/* Goes to a path of the site and waits for its load. */
void lab_goto(struct lab_session *session, const char *host, const char *path);
void lab_click(struct lab_session *session, double x, double y, struct lab_answer *answer);
void lab_read_proc(pid_t pid, const char *file, char *text, size_t size);
/* The processes of a group, zombies left out, whose command line has these words. */
size_t lab_group(pid_t leader, const char *words, pid_t *ret_pids, size_t max);
/* Kills it and waits for its end without the loop, which has not heard of it yet. */
void lab_kill_in_silence(pid_t pid);
/* The network service of a browser, which watches it from now on. */
pid_t lab_network_service(struct tb_loop *loop, struct tb_cdp_browser *browser);
/* Whether a browser is installed; a test that needs one is skipped without. */
bool lab_has_browser(void);

#define LAB_WAIT_MS(lab, ms, condition)                                 \
    do {                                                                \
        bool lab_is_late = false;                                       \
        struct tb_timer lab_timer;                                      \
        tb_timer_init(&lab_timer, (lab)->loop, lab_late, &lab_is_late); \
        tb_timer_start(&lab_timer, (ms));                               \
        while (!(condition) && !lab_is_late) {                          \
            tb_loop_turn((lab)->loop, true);                            \
        }                                                               \
        tb_timer_fini(&lab_timer);                                      \
        assert_true(condition);                                         \
    } while (0)
#define LAB_WAIT(lab, condition) LAB_WAIT_MS(lab, LAB_MS, condition)

#define LAB_NEEDS_BROWSER()       \
    do {                          \
        if (!lab_has_browser()) { \
            skip();               \
        }                         \
    } while (0)
