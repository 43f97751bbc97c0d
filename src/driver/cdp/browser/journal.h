/* SPDX-License-Identifier: Apache-2.0 */
/* What the pages of a session logged, requested and downloaded, for operations to read. Messages
 * and errors are taken down from the beginning; of requests, and of the browser's own messages, the
 * browser tells once somebody has asked for them. */
#pragma once

#include <stdbool.h>

#include "driver/cdp/browser/console_log.h"
#include "driver/cdp/browser/download_log.h"
#include "driver/cdp/browser/net_log.h"

struct tb_cdp_page;
struct tb_driver_session;

struct tb_cdp_journal {
    struct tb_cdp_console_log console;
    struct tb_cdp_net_log net;
    struct tb_cdp_download_log downloads;
    bool log_on; /* the browser tells of its own messages */
    bool net_on; /* and of requests */
};

/* The journal is a part of the session. */
void tb_cdp_journal_init(struct tb_driver_session *session);
void tb_cdp_journal_fini(struct tb_cdp_journal *journal);
/* A tab has come. */
void tb_cdp_journal_on_page(const struct tb_cdp_journal *journal, struct tb_cdp_page *page);
void tb_cdp_journal_on_event(struct tb_driver_session *session, const struct tb_cdp_page *page,
                             const char *session_id, struct tb_str method, struct tb_str params);
/* What the browser tells of a download, of this session or another. */
void tb_cdp_journal_on_download(struct tb_driver_session *session, struct tb_str method,
                                struct tb_str params);
/* What holds for the session's files; it borrows from the session. */
struct tb_cdp_download_rules tb_cdp_journal_rules(const struct tb_driver_session *session);
/* From now on, and on every tab that comes. */
void tb_cdp_journal_watch_log(struct tb_driver_session *session);
void tb_cdp_journal_watch_net(struct tb_driver_session *session);
