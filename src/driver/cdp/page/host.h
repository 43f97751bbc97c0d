/* SPDX-License-Identifier: Apache-2.0 */
/* What a tab needs of whoever holds it: a browser context.
 *
 * A tab is in the list of its host until it ends. Then it has no host any more, and lies with its
 * peer until the end of the turn. A host ends its tabs before it goes, a peer frees them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "driver/cdp/page/running.h"
#include "driver/cdp/wire/conn.h"
#include "io/loop.h"

struct cJSON;
struct tb_buf;
struct tb_cdp_host;
struct tb_cdp_page;
struct tb_event;

enum {
    TB_WINDOW_WIDTH = 1280, /* of the viewport, unless somebody wants another */
    TB_WINDOW_HEIGHT = 720,
};

/* The browser at the other end of the line, as its tabs see it. */
struct tb_cdp_peer {
    struct tb_loop *loop;
    struct tb_cdp_conn *conn;           /* NULL: not there yet, or gone */
    const struct tb_buf *script_params; /* of Page.addScriptToEvaluateOnNewDocument */
    bool window_is_page;                /* so that a new tab has the usual viewport */
    struct tb_list ended;               /* tabs that go at the end of the turn */
};

/* Whoever uses the tabs of a host: a session. */
struct tb_cdp_tab_user {
    struct tb_list asks;            /* all that it has open, see ask.h */
    struct tb_cdp_running *running; /* its operation under way; NULL: none */
    int64_t last_ref;               /* the highest that any of its documents has given */
    int width;                      /* of the viewport; 0: the window's */
    int height;
    bool keeps_network; /* requests are told for more than the act that began them */
};

struct tb_cdp_host_ops {
    /* It is set up. */
    void (*page_ready)(struct tb_cdp_host *host, struct tb_cdp_page *page);
    /* A tab has crashed or cannot be set up. True: nobody used it, and the host has gone with it.
     */
    bool (*page_failed)(struct tb_cdp_host *host);
    /* Its document has loaded. */
    void (*page_loaded)(struct tb_cdp_host *host);
    /* It has left the list of tabs. */
    void (*page_ended)(struct tb_cdp_host *host, struct tb_cdp_page *page);
    /* The last tab is about to close, and some browsers end with it. */
    void (*want_tab)(struct tb_cdp_host *host);
    /* May a tab be at this address? 0, or a failure that names the rule against it. */
    int (*may_open)(struct tb_cdp_host *host, struct tb_str url, struct tb_err *err);
    /* Something for the bus: its type and fields. */
    void (*tell)(struct tb_cdp_host *host, const struct tb_event *event);
    /* What the browser tells of a tab and the tab does not deal with itself. */
    void (*on_event)(struct tb_cdp_host *host, struct tb_cdp_page *page, const char *session_id,
                     struct tb_str method, struct tb_str params);
};

struct tb_cdp_host {
    const struct tb_cdp_host_ops *ops;
    struct tb_cdp_peer *peer;
    struct tb_cdp_tab_user *user; /* NULL: nobody uses the tabs yet */
    struct tb_list pages;         /* in order of opening */
    size_t page_count;
    uint64_t last_opener_group; /* see tb_cdp_page */
};

void tb_cdp_host_init(struct tb_cdp_host *host, const struct tb_cdp_host_ops *ops,
                      struct tb_cdp_peer *peer);
/* A page says what the highest ref is that it has given, if it is a number. */
void tb_cdp_tab_user_note_ref(struct tb_cdp_tab_user *user, const struct cJSON *last);
/* NULL: none is under way. */
struct tb_cdp_running *tb_cdp_host_running(const struct tb_cdp_host *host);
/* NULL: there is none of this id. */
struct tb_cdp_page *tb_cdp_host_page(const struct tb_cdp_host *host, struct tb_str target_id);
/* The place of a tab in the list, from 0. */
size_t tb_cdp_host_index(const struct tb_cdp_host *host, const struct tb_cdp_page *page);
