/* SPDX-License-Identifier: Apache-2.0 */
/* What joins a peer behind a front's socket (a page, the extension) with the driver of its session.
 * It carries messages both ways, not bytes of a socket: a front reads and writes its dialect, and
 * neither core nor the driver knows which. What is not of JSON-RPC stays inside params: so does the
 * sessionId of DevTools in messages of the extension.
 *
 * A message is passed on inside tb_channel_send and borrowed for that call: its parts are ranges of
 * the sender's own bytes, which the receiver splices into its frame or result. So a payload is
 * copied once, and by nobody in between.
 *
 * The front makes the channel, the driver joins it in `open` or `attach`. Each end has a reference
 * until it closes its end; the other hears of that once, later, and closes its own. */
#pragma once

#include "base/str.h"
#include "proto/jsonrpc.h"

struct tb_channel;
struct tb_loop;

enum tb_channel_end {
    TB_CHANNEL_PEER, /* the front's */
    TB_CHANNEL_DRIVER,
};

/* What an end is told. Each may send, and close this end. */
struct tb_channel_events {
    /* 0, or TB_E_BUSY: it cannot take the message now, and says tb_channel_ready when it can. */
    int (*receive)(void *user, const struct tb_jsonrpc *message, struct tb_str tail);
    /* A send was refused as busy, and the other end is ready now. May be NULL if it sends nothing
     * that has to arrive. */
    void (*ready)(void *user);
    /* The other end has closed. Nothing is told after that. */
    void (*closed)(void *user);
};

/* The peer's end, with its reference. */
struct tb_channel *tb_channel_new(struct tb_loop *loop, const struct tb_channel_events *events,
                                  void *user);
/* The driver's end, the same. TB_E_EXISTS when it is taken, TB_E_CLOSED when the peer has gone. */
int tb_channel_join(struct tb_channel *channel, const struct tb_channel_events *events, void *user);
/* From this end to the other. `tail` is more members for params, as JSON without braces ("a":1), or
 * empty. TB_E_CLOSED, or TB_E_BUSY: nothing was taken, and all further ones are refused until
 * `ready`, so that none overtakes another. Before the driver has joined it is busy. */
int tb_channel_send(struct tb_channel *channel, enum tb_channel_end end,
                    const struct tb_jsonrpc *message, struct tb_str tail);
/* This end can take messages again. */
void tb_channel_ready(struct tb_channel *channel, enum tb_channel_end end);
/* Closes this end, which is told nothing any more, and drops its reference. */
void tb_channel_close(struct tb_channel *channel, enum tb_channel_end end);

/* For who keeps one without being an end. NULL is allowed. */
struct tb_channel *tb_channel_ref(struct tb_channel *channel, const char *why);
void tb_channel_unref(struct tb_channel *channel, const char *why);
