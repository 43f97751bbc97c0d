/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a page share: page.c has its connection, reply.c the answers that wait for the
 * store, session.c the session that the page drives, methods.c what it may ask of us. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "core/channel.h"
#include "core/gate.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "front/btcp/page.h"
#include "io/ws_conn.h"

enum {
    TB_BTCP_TOO_SLOW = 1013, /* as a close code: what we have to say is not read */
};

struct tb_btcp_page {
    struct tb_list link; /* of the front */
    struct tb_btcp *btcp;
    struct tb_principal *who; /* a reference */
    struct tb_live live;
    char conversation[TB_CONVERSATION_SIZE]; /* who its session belongs to */
    struct tb_caller caller;                 /* it, in that */
    struct tb_ws_conn *ws;
    struct tb_channel *channel; /* our end; NULL: it has no session */
    char session_id[TB_ID_SIZE];
    bool open;                  /* the driver has joined the channel */
    struct tb_hold joining;     /* of the reply that acknowledges the session */
    struct tb_resolve_ask ask;  /* for the session that it had before */
    struct tb_btcp_reply *asks; /* whose answer that will be; NULL: none */
    struct tb_buf named;
    struct tb_buf agent; /* its User-Agent, or what fits of it */
    struct tb_list replies;
    size_t reply_count;
};

/* An answer that waits until what it acknowledges is stored. */
struct tb_btcp_reply {
    struct tb_list link; /* of the page */
    struct tb_btcp_page *page;
    struct tb_gate gate;
    struct tb_hold hold; /* until all of it is under way */
    struct tb_buf id;
    struct tb_buf body; /* a result */
};

/* What is not read ends the connection: nothing may be missing in silence. */
void tb_btcp_send_error(struct tb_btcp_page *page, struct tb_str id, const struct tb_err *err);
void tb_btcp_send_notice(struct tb_btcp_page *page, const char *method, struct tb_str params);

struct tb_btcp_reply *tb_btcp_reply_new(struct tb_btcp_page *page, struct tb_str id);
/* It goes out now, or when all is stored; err NULL: nothing went wrong so far. */
void tb_btcp_reply_finish(struct tb_btcp_reply *reply, const struct tb_err *err);
void tb_btcp_reply_free(struct tb_btcp_reply *reply);

/* A new session; the reply tells its id once the driver has joined. */
void tb_btcp_session_create(struct tb_btcp_page *page, struct tb_btcp_reply *reply);
/* The one whose id is in page->named, which is a secret of the page that had it before. */
void tb_btcp_session_recover(struct tb_btcp_page *page, struct tb_btcp_reply *reply);
/* NULL: it has none, or none any more. */
struct tb_session *tb_btcp_session_of(const struct tb_btcp_page *page);
/* The driver has joined; or, with err, it will not. */
void tb_btcp_session_joined(struct tb_btcp_page *page, const struct tb_err *err);
/* The page has no session from now on; the driver is told that its peer has gone. */
void tb_btcp_session_let_go(struct tb_btcp_page *page);
/* {"sessionId","expiresAt"}, of one that it has from now on. */
void tb_btcp_session_put(struct tb_btcp_page *page, const struct tb_session *session,
                         bool recovered, struct tb_buf *out);

struct tb_btcp_method {
    const char *name;
    bool in_session; /* it needs one */
    void (*run)(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                const struct tb_jsonrpc *request);
};

/* NULL: it is the driver's business. */
const struct tb_btcp_method *tb_btcp_method_of(const struct tb_jsonrpc *request);
