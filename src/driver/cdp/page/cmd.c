/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/cmd.h"

#include <string.h>

#include "driver/cdp/page/page_internal.h"

/* Before a page is set up its commands are held back: the browser would run some of them, such as a
 * navigation, ahead of those that wait for the renderer. The exception is a window whose first page
 * does not come: it has no renderer that could run anything, another navigation brings it one, and
 * that runs the set-up before its document. */

enum {
    SKEW_MS = 20,
};

static struct tb_cdp_page_cmd *cmd_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_cdp_page_cmd, ask.place);
}

static int64_t now_ms(const struct tb_cdp_page_cmd *cmd)
{
    return tb_loop_now_ms(cmd->page->peer->loop);
}

static void unsend(struct tb_cdp_page_cmd *cmd)
{
    if (cmd->command.id && cmd->page->peer->conn) {
        tb_cdp_command_forget(cmd->page->peer->conn, &cmd->command);
    }
}

void tb_cdp_page_cmd_fini(struct tb_cdp_page_cmd *cmd)
{
    unsend(cmd);
    tb_cdp_ask_end(&cmd->ask);
    tb_timer_fini(&cmd->timer);
    tb_free(cmd->method);
    tb_free(cmd->params);
    tb_free(cmd->late);
}

void tb_cdp_page_cmd_drop(struct tb_cdp_page_cmd *cmd)
{
    tb_cdp_page_cmd_fini(cmd);
    tb_free(cmd);
}

/* For one that has no other record. */
static void done_plain(struct tb_cdp_page_cmd *cmd, int code, struct tb_str result,
                       const struct tb_err *err)
{
    tb_cdp_reply_fn *fn = cmd->fn;
    void *user = cmd->ask.user;
    tb_cdp_page_cmd_drop(cmd);
    fn(code, result, err, user);
}

static void end_with(struct tb_cdp_page_cmd *cmd, const struct tb_err *err)
{
    struct tb_err words = *err;
    cmd->done(cmd, words.code, (struct tb_str){NULL, 0}, &words);
}

/* The browser's own timer ends a script at the same deadline as ours, and on a loaded machine its
 * word may be read first. A script that was to be awaited then gives nothing better than the second
 * of these. */
static bool was_ended_late(const struct tb_cdp_page_cmd *cmd, const struct tb_err *err)
{
    return err->code == TB_E_PROTOCOL && cmd->by_thread &&
           now_ms(cmd) + SKEW_MS >= cmd->command.deadline_ms &&
           (strstr(err->text, "was terminated") || strstr(err->text, "Internal error"));
}

static void on_reply(struct tb_cdp_command *command, int code, struct tb_str result,
                     const struct tb_err *err)
{
    struct tb_cdp_page_cmd *cmd = TB_CONTAINER(command, struct tb_cdp_page_cmd, command);
    struct tb_cdp_page *page = cmd->page;
    if (code == 0) {
        if (cmd->by_thread) {
            cmd->target->answered_ms = now_ms(cmd);
        }
        cmd->done(cmd, 0, result, NULL);
        return;
    }
    struct tb_err words = *err;
    if (code == TB_E_TIMEOUT) {
        tb_cdp_page_probe(page);
        tb_cdp_page_say_late(page, err->text, &words);
    } else if (code == TB_E_NOT_FOUND) {
        tb_fail(&words, TB_E_TAB_NOT_FOUND, "the tab was closed");
    } else if (was_ended_late(cmd, err)) {
        tb_fail(&words, TB_E_TIMEOUT, "the page did not answer in time");
    }
    end_with(cmd, &words);
}

static bool begins_with_one_of(const char *method, const char *const *list)
{
    for (; *list; list++) {
        if (strncmp(method, *list, strlen(*list)) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the browser does it without the renderer. */
static bool needs_no_page(const char *method)
{
    static const char *const methods[] = {"Page.navigate", "Page.reload", "Page.close",
                                          "Page.getNavigationHistory", NULL};
    return begins_with_one_of(method, methods);
}

/* What keeps the command from being sent; false if nothing does. What sets the page up is sent
 * behind a dialog, too: it is answered when that has gone. */
static bool in_the_way(const struct tb_cdp_page_cmd *cmd, const char *method,
                       struct tb_err *ret_err)
{
    const struct tb_cdp_page *page = cmd->page;
    static const char *const in_dialog[] = {"Page.handleJavaScriptDialog", "Page.close", NULL};
    if (page->gone) {
        tb_fail(ret_err, TB_E_TAB_NOT_FOUND, "the tab was closed");
        return true;
    }
    if (page->crashed && !needs_no_page(method)) {
        tb_fail(ret_err, TB_E_PAGE_CRASHED, "the page has crashed");
        return true;
    }
    return !cmd->sets_up && !begins_with_one_of(method, in_dialog) &&
           tb_cdp_page_in_dialog(page, ret_err);
}

void tb_cdp_page_cmd_fail_later(struct tb_cdp_page_cmd *cmd, const struct tb_err *err)
{
    cmd->late = TB_NEW(struct tb_err);
    *cmd->late = *err;
    tb_loop_defer(cmd->page->peer->loop, &cmd->page->late);
}

static void send_cmd(struct tb_cdp_page_cmd *cmd, const char *method, struct tb_str params)
{
    struct tb_err err;
    if (in_the_way(cmd, method, &err)) {
        tb_cdp_page_cmd_fail_later(cmd, &err);
    } else {
        tb_cdp_command_send(cmd->page->peer->conn, &cmd->command, cmd->target->session_id, method,
                            params);
    }
}

static void start_timer(struct tb_cdp_page_cmd *cmd)
{
    int64_t left_ms = cmd->command.deadline_ms - now_ms(cmd);
    tb_timer_start(&cmd->timer, left_ms > 0 ? left_ms : 0);
}

static void on_waited_too_long(struct tb_timer *timer, void *user)
{
    struct tb_cdp_page_cmd *cmd = user;
    struct tb_err err;
    (void)timer;
    if (cmd->waits) {
        tb_cdp_page_probe(cmd->page);
        tb_cdp_page_say_late(cmd->page, "the page had no usable document in time", &err);
    } else {
        tb_cdp_page_say_late(cmd->page, "the tab was not ready in time", &err);
    }
    end_with(cmd, &err);
}

bool tb_cdp_page_cmd_is_late(const struct tb_cdp_page_cmd *cmd)
{
    return cmd->command.deadline_ms <= now_ms(cmd);
}

static void forget(struct tb_cdp_ask *ask)
{
    struct tb_cdp_page_cmd *cmd = TB_CONTAINER(ask, struct tb_cdp_page_cmd, ask);
    struct tb_cdp_page *page = cmd->page;
    bool late = tb_cdp_page_cmd_is_late(cmd);
    tb_cdp_page_cmd_drop(cmd);
    if (late) {
        tb_cdp_page_probe(page);
    }
}

void tb_cdp_page_cmd_init(struct tb_cdp_page_cmd *cmd, struct tb_cdp_page *page,
                          int64_t deadline_ms, void *user)
{
    cmd->page = page;
    cmd->handle = ++page->owed.last_handle;
    cmd->waits = true;
    cmd->command.deadline_ms = deadline_ms;
    cmd->command.done = on_reply;
    cmd->done = done_plain;
    cmd->ask.user = user;
    cmd->ask.forget = forget;
    tb_timer_init(&cmd->timer, page->peer->loop, on_waited_too_long, cmd);
    tb_cdp_ask_begin(&cmd->ask, &page->owed.cmds, tb_cdp_page_asks(page));
}

void tb_cdp_page_cmd_wait(struct tb_cdp_page_cmd *cmd)
{
    cmd->waits = true;
    start_timer(cmd);
}

void tb_cdp_page_cmd_start(struct tb_cdp_page_cmd *cmd, struct tb_cdp_target *target,
                           const char *method, struct tb_str params)
{
    const struct tb_cdp_page *page = cmd->page;
    bool leads_away = tb_cdp_page_awaits_first(page) && needs_no_page(method);
    tb_timer_stop(&cmd->timer);
    cmd->waits = false;
    cmd->target = target;
    cmd->by_thread = strncmp(method, "Runtime.", 8) == 0;
    if (page->ready || page->gone || page->crashed || page->dialog.open || leads_away) {
        send_cmd(cmd, method, params);
    } else {
        cmd->method = tb_strdup(method);
        cmd->params = tb_str_dup(params);
        start_timer(cmd);
    }
}

struct tb_cdp_page_cmd *tb_cdp_page_cmd_new(struct tb_cdp_target *target, const char *method,
                                            struct tb_str params, int64_t deadline_ms,
                                            tb_cdp_reply_fn *fn, void *user)
{
    struct tb_cdp_page_cmd *cmd = TB_NEW(struct tb_cdp_page_cmd);
    tb_cdp_page_cmd_init(cmd, target->page, deadline_ms, user);
    cmd->fn = fn;
    tb_cdp_page_cmd_start(cmd, target, method, params);
    return cmd;
}

struct tb_cdp_page_cmd *tb_cdp_page_cmd_fence(struct tb_cdp_target *target, int64_t deadline_ms,
                                              tb_cdp_reply_fn *fn, void *user)
{
    return tb_cdp_page_cmd_new(target, "Runtime.evaluate", TB_STR("{\"expression\":\"0\"}"),
                               deadline_ms, fn, user);
}

void tb_cdp_page_cmd_set_up(struct tb_cdp_target *target, const char *method, tb_cdp_reply_fn *fn,
                            void *user)
{
    struct tb_cdp_page_cmd *cmd = TB_NEW(struct tb_cdp_page_cmd);
    tb_cdp_page_cmd_init(cmd, target->page,
                         tb_loop_now_ms(target->page->peer->loop) + TB_CDP_COMMAND_MS, user);
    cmd->fn = fn;
    cmd->sets_up = true;
    cmd->waits = false;
    cmd->target = target;
    send_cmd(cmd, method, (struct tb_str){NULL, 0});
}

bool tb_cdp_page_cmd_sets_up(const struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &page->owed.cmds) {
        const struct tb_cdp_page_cmd *cmd = cmd_of(link);
        if (cmd->sets_up && cmd->target == page->target && !cmd->late) {
            return true;
        }
    }
    return false;
}

void tb_cdp_page_cmds_go_on(struct tb_cdp_page *page)
{
    /* Sending calls nobody back, so the list does not change meanwhile. */
    LIST_FOREACH(link, &page->owed.cmds) {
        struct tb_cdp_page_cmd *cmd = cmd_of(link);
        if (cmd->method) {
            TB_AUTO(tb_free) char *method = cmd->method;
            TB_AUTO(tb_free) char *params = cmd->params;
            cmd->method = NULL;
            cmd->params = NULL;
            tb_timer_stop(&cmd->timer);
            send_cmd(cmd, method, tb_str_of(params));
        }
    }
}

/* The first command in the list that fits; NULL: none is left. Whoever ends one looks anew, since
 * its callback may change the list. */
static struct tb_cdp_page_cmd *find_of(struct tb_cdp_page *page, const struct tb_cdp_target *target,
                                       uint64_t up_to, int why)
{
    LIST_FOREACH(link, &page->owed.cmds) {
        struct tb_cdp_page_cmd *cmd = cmd_of(link);
        bool goes_on = cmd->sets_up && why == TB_E_DIALOG_OPEN;
        bool fits = !target || (cmd->target == target && !cmd->waits);
        if (fits && cmd->handle <= up_to && !goes_on) {
            return cmd;
        }
    }
    return NULL;
}

void tb_cdp_page_cmds_fail(struct tb_cdp_page *page, const struct tb_cdp_target *target,
                           const struct tb_err *err)
{
    uint64_t up_to = page->owed.last_handle;
    struct tb_cdp_page_cmd *cmd;
    while ((cmd = find_of(page, target, up_to, err->code))) {
        unsend(cmd);
        end_with(cmd, err);
    }
}

void tb_cdp_page_cmds_run_late(struct tb_cdp_page *page)
{
    struct tb_cdp_page_cmd *found;
    do {
        found = NULL;
        LIST_FOREACH(link, &page->owed.cmds) {
            struct tb_cdp_page_cmd *cmd = cmd_of(link);
            if (cmd->late) {
                found = cmd;
                break;
            }
        }
        if (found) {
            end_with(found, found->late);
        }
    } while (found);
}

uint64_t tb_cdp_page_send(struct tb_cdp_page *page, const char *method, struct tb_str params,
                          int64_t deadline_ms, tb_cdp_reply_fn *fn, void *user)
{
    return tb_cdp_page_cmd_new(page->target, method, params, deadline_ms, fn, user)->handle;
}

uint64_t tb_cdp_page_fence(struct tb_cdp_page *page, int64_t deadline_ms, tb_cdp_reply_fn *fn,
                           void *user)
{
    return tb_cdp_page_cmd_fence(page->target, deadline_ms, fn, user)->handle;
}

uint64_t tb_cdp_frame_send(struct tb_cdp_frame *frame, const char *method, struct tb_str params,
                           int64_t deadline_ms, tb_cdp_reply_fn *fn, void *user)
{
    return tb_cdp_page_cmd_new(frame->target, method, params, deadline_ms, fn, user)->handle;
}
