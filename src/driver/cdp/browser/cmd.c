/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of a session to its browser itself. They end with the line at the latest. */
#include "driver/cdp/browser/session_internal.h"

struct browser_cmd {
    struct tb_cdp_ask ask; /* in its browser */
    struct tb_cdp_browser *browser;
    uint64_t id; /* the connection's */
    tb_cdp_reply_fn *fn;
};

static void cmd_free(struct browser_cmd *cmd)
{
    tb_cdp_ask_end(&cmd->ask);
    tb_free(cmd);
}

static void forget(struct tb_cdp_ask *ask)
{
    struct browser_cmd *cmd = TB_CONTAINER(ask, struct browser_cmd, ask);
    if (cmd->browser->peer.conn) {
        tb_cdp_forget(cmd->browser->peer.conn, cmd->id);
    }
    cmd_free(cmd);
}

static void on_reply(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct browser_cmd *cmd = user;
    tb_cdp_reply_fn *fn = cmd->fn;
    void *fn_user = cmd->ask.user;
    cmd_free(cmd);
    fn(code, result, err, fn_user);
}

void tb_cdp_session_send(struct tb_driver_session *session, const char *session_id,
                         const char *method, struct tb_str params, int64_t deadline_ms,
                         tb_cdp_reply_fn *fn, void *user)
{
    struct tb_cdp_browser *browser = session->browser;
    struct browser_cmd *cmd = TB_NEW(struct browser_cmd);
    cmd->browser = browser;
    cmd->fn = fn;
    cmd->ask.user = user;
    cmd->ask.forget = forget;
    tb_cdp_ask_begin(&cmd->ask, &browser->asks, &session->use.asks);
    cmd->id =
        tb_cdp_send(browser->peer.conn, session_id, method, params, deadline_ms, on_reply, cmd);
}

void tb_cdp_browser_cmds_end(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    while (!tb_list_empty(&browser->asks)) {
        struct tb_cdp_ask *ask = TB_CONTAINER(browser->asks.next, struct tb_cdp_ask, place);
        struct browser_cmd *cmd = TB_CONTAINER(ask, struct browser_cmd, ask);
        tb_cdp_reply_fn *fn = cmd->fn;
        void *user = ask->user;
        forget(ask);
        fn(err->code, (struct tb_str){NULL, 0}, err, user);
    }
}
