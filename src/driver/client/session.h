/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. A session lives from `open` until `close` has called back;
 * its page may go and another may come meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "core/channel.h"
#include "core/driver.h"
#include "core/toolbox.h"
#include "io/loop.h"

/* The driver's own state. */
struct tb_client {
    struct tb_core *core;
    struct tb_list sessions;
};

/* An answer to the page that it could not take yet. */
struct tb_client_reply {
    bool waits;
    bool failed; /* `body` is an error, else a result */
    struct tb_buf id;
    struct tb_buf body;
};

struct tb_driver_session {
    struct tb_client *client;
    struct tb_list link;
    const struct tb_driver_events *events;
    void *owner;
    struct tb_channel *page; /* NULL: it is away */
    struct tb_client_reply reply;
    struct tb_brought_list tools; /* as the page told them last */
    struct tb_list asks;          /* calls that the page has not answered, oldest first */
    uint64_t asked;               /* how many there were; no page learns how many others get */
    struct tb_deferred closing;
    tb_closed_fn *closed_fn;
    void *closed_owner;
};

/* page.c */

/* A page, in place of the one before. As tb_channel_join. */
int tb_client_page_join(struct tb_driver_session *session, struct tb_channel *channel);
/* Lets go of the page; nobody is told. */
void tb_client_page_drop(struct tb_driver_session *session);

/* tools.c: both give how many there are now, or a failure that changes nothing. */

/* `tools` is an array that has passed proto/json_scan; it replaces all that was there. */
int tb_client_tools_register(struct tb_driver_session *session, struct tb_str tools,
                             struct tb_err *err);
/* `names` is an array of strings, or empty: all of them go. */
int tb_client_tools_unregister(struct tb_driver_session *session, struct tb_str names,
                               struct tb_err *err);

/* invoke.c */

/* The operation TB_OP_INVOKE. */
void tb_client_invoke(struct tb_driver_session *session, struct tb_op *op);
/* A result or an error from the page. One that nobody waits for is passed over: the page answers
 * for the second time, too late, or makes it up. */
void tb_client_take_answer(struct tb_driver_session *session, const struct tb_jsonrpc *answer);
/* The page can take messages again. */
void tb_client_send_unsent(struct tb_driver_session *session);
/* Ends all calls with this code; 0: without a word to core. */
void tb_client_end_calls(struct tb_driver_session *session, int code);
