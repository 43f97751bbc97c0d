/* SPDX-License-Identifier: Apache-2.0 */
/* A browser session: one browser context with its tabs. What operations need beside a single tab
 * (driver/cdp/page/page.h): the list of tabs, opening and closing them, and events of the browser
 * that are not handled here (console, network, downloads).
 *
 * A tab that a page opens becomes the current one, as it would for a person. More tabs than
 * browser.tabs_max are closed at once and counted. When the last tab closes, an empty one takes its
 * place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/list.h"
#include "core/driver.h"
#include "driver/cdp/page/page.h"
#include "io/loop.h"

struct tb_cdp_fleet;
struct tb_cdp_keeper;

/* Opens one that takes its keeper. */
void tb_cdp_session_open_take(struct tb_cdp_fleet *fleet, const struct tb_open_opts *opts,
                              struct tb_cdp_keeper *keeper, tb_open_fn *fn);
/* Driver functions, see core/driver.h. */
void tb_cdp_session_close(struct tb_driver_session *session, tb_closed_fn *fn, void *owner);
bool tb_cdp_session_detach(struct tb_driver_session *session);
void tb_cdp_session_describe(struct tb_driver_session *session, struct tb_json_writer *json);
void tb_cdp_session_tabs(struct tb_driver_session *session, tb_tab_fn *fn, void *user);

struct tb_loop *tb_cdp_session_loop(const struct tb_driver_session *session);
/* Tells core of something for the bus; type is a row of core/events.def. */
void tb_cdp_session_tell(struct tb_driver_session *session, const struct tb_event *event);
/* Whether a tab of the session may be at this address, which is a whole one: see core/driver.h. */
int tb_cdp_session_may_open(const struct tb_driver_session *session, struct tb_str url,
                            struct tb_err *err);
/* The same for the most bytes of a file; see core/driver.h. */
int64_t tb_cdp_session_file_max(const struct tb_driver_session *session, bool given);
/* What saving it would give has changed. */
void tb_cdp_session_dirty(struct tb_driver_session *session);
const char *tb_cdp_session_context_id(const struct tb_driver_session *session);
/* Forgets everything that was begun with this `user`, on any tab or in the browser itself: the way
 * to cancel an operation. */
void tb_cdp_session_forget(struct tb_driver_session *session, const void *user);

/* Tabs. An index is a place in the list, from 0, in order of opening. */
struct tb_cdp_page *tb_cdp_session_page(
    struct tb_driver_session *session); /* the current one; NULL: none */
struct tb_cdp_page *tb_cdp_session_page_by_index(struct tb_driver_session *session, size_t index);
size_t tb_cdp_session_page_count(const struct tb_driver_session *session);
size_t tb_cdp_session_page_index(const struct tb_driver_session *session,
                                 const struct tb_cdp_page *page);
struct tb_cdp_page *tb_cdp_session_page_by_target(struct tb_driver_session *session,
                                                  struct tb_str target_id);
void tb_cdp_session_page_select(struct tb_driver_session *session, struct tb_cdp_page *page);
typedef void tb_cdp_session_tab_fn(int code, struct tb_cdp_page *page, const struct tb_err *err,
                                   void *user);
/* Opens an empty tab; it becomes the current one when it is ready and handed over. One that comes
 * after its time, or when its user was forgotten, is closed. TB_E_LIMIT at browser.tabs_max. */
void tb_cdp_session_tab_open(struct tb_driver_session *session, int64_t deadline_ms,
                             tb_cdp_session_tab_fn *fn, void *user);
/* `page` is NULL in the callback. The tab before it becomes the current one. */
void tb_cdp_session_tab_close(struct tb_driver_session *session, struct tb_cdp_page *page,
                              int64_t deadline_ms, tb_cdp_session_tab_fn *fn, void *user);
/* Tabs that pages have opened, and tabs that were refused, since the session began: compare before
 * and after an act. */
uint64_t tb_cdp_session_tabs_opened(const struct tb_driver_session *session);
uint64_t tb_cdp_session_tabs_refused(const struct tb_driver_session *session);
/* The caller has heard which tab is current, and of all that have opened. */
void tb_cdp_session_tabs_told(struct tb_driver_session *session);
/* The current tab becomes the one that the caller has heard of last, if it has not heard of this
 * one: pages open windows by themselves, and close them again. */
void tb_cdp_session_page_select_told(struct tb_driver_session *session);

/* No call leaves any of its pages any more, see tb_cdp_page_leave. */
void tb_cdp_session_stay(struct tb_driver_session *session);

/* Events of tabs that the driver does not handle itself. `prefix` such as "Network." chooses them;
 * enabling the domain is the listener's business. The listener is its owner's and must be removed
 * before it dies. */
struct tb_cdp_page_listener {
    struct tb_list link;
    const char *prefix;
    void (*on_event)(struct tb_cdp_page *page, const char *session_id, struct tb_str method,
                     struct tb_str params, void *user);
    void *user;
};
void tb_cdp_session_listen(struct tb_driver_session *session,
                           struct tb_cdp_page_listener *listener);
void tb_cdp_page_listener_remove(struct tb_cdp_page_listener *listener);
