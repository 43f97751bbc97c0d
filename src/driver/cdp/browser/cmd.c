/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of a session to its browser itself. They end with the line at the latest. */
#include "driver/cdp/browser/session_internal.h"

struct browser_cmd {
    struct tb_cdp_ask ask; /* in its browser */
    struct tb_cdp_browser *browser;
    struct tb_cdp_command command;
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
        tb_cdp_command_forget(cmd->browser->peer.conn, &cmd->command);
    }
    cmd_free(cmd);
}

static void on_done(struct tb_cdp_command *command, int code, struct tb_str result,
                    const struct tb_err *err)
{
    struct browser_cmd *cmd = TB_CONTAINER(command, struct browser_cmd, command);
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
    cmd->command = (struct tb_cdp_command){.deadline_ms = deadline_ms, .done = on_done};
    tb_cdp_command_send(browser->peer.conn, &cmd->command, session_id, method, params);
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
