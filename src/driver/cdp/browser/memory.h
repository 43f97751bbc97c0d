/* SPDX-License-Identifier: Apache-2.0 */
/* What operations keep of a session from one to the next: what its pages logged, requested and
 * downloaded, the last outline of each tab, what is emulated. Made by the first operation, gone
 * with the session. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "driver/cdp/browser/console_log.h"
#include "driver/cdp/browser/download_log.h"
#include "driver/cdp/browser/files.h"
#include "driver/cdp/browser/net_log.h"
#include "driver/cdp/browser/session.h"
#include "driver/cdp/page/target.h"

struct tb_cdp_memory {
    struct tb_cdp_page_listener listener;
    struct tb_driver_session *session;
    struct tb_cdp_console_log console;
    struct tb_cdp_net_log net;
    struct tb_cdp_download_log downloads;
    struct tb_list tabs;
    int64_t last_ref;        /* the highest that any document has given */
    int64_t heard;           /* the number of the changes that a page told last */
    bool log_on;             /* the browser tells of its own messages */
    bool net_on;             /* and of requests */
    struct cJSON *emulation; /* what is in force, under the names of emulate's arguments */
    char *directory;         /* of the session's files; NULL: not made */
    struct tb_cdp_files_id directory_id;
    /* Gets the events that an operation has asked the browser for; whoever sets it takes it away
     * again. NULL: nobody. */
    void (*on_event)(struct tb_cdp_page *page, struct tb_str method, struct tb_str params,
                     void *user);
    void *user;
};

struct tb_cdp_tab_memory {
    struct tb_list link;
    char target_id[TB_TARGET_ID_SIZE];
    struct tb_buf outline; /* the last one that was shown whole */
    struct cJSON *arrived; /* what the document told of itself; NULL: nothing */
    uint64_t arrived_mark; /* how many navigations there had been */
    int64_t typed;         /* into so many fields, when it was last saved */
    uint64_t typed_mark;
};

/* What the browser tells of a download, of this session or another. */
void tb_cdp_memory_on_download(struct tb_driver_session *session, struct tb_str method,
                               struct tb_str params);
/* What holds for the session's files; it borrows from the memory. */
struct tb_cdp_download_rules tb_cdp_memory_rules(const struct tb_cdp_memory *memory);
/* Never NULL. */
struct tb_cdp_memory *tb_cdp_memory_of(struct tb_driver_session *session);
/* Made when there is none. Forgets tabs that are gone. */
struct tb_cdp_tab_memory *tb_cdp_memory_tab(struct tb_cdp_memory *memory, const char *target_id);
/* What the document that a tab has now has told of itself; NULL: nothing yet. */
const struct cJSON *tb_cdp_memory_arrived(struct tb_cdp_memory *memory,
                                          const struct tb_cdp_page *page);
/* The next one may be compared with it. */
void tb_cdp_memory_keep_outline(struct tb_cdp_tab_memory *tab, struct tb_str outline);
/* From now on, and on every tab that comes. */
void tb_cdp_memory_watch_log(struct tb_cdp_memory *memory);
void tb_cdp_memory_watch_net(struct tb_cdp_memory *memory);
/* Brings a tab to what is emulated, or back; see op/emulate.c. */
void tb_cdp_emulation_apply(const struct cJSON *emulation, struct tb_cdp_page *page);
/* The same for a whole session that had it before. */
void tb_cdp_emulation_bring(struct tb_driver_session *session, const struct cJSON *emulation);
