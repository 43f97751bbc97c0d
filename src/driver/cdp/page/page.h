/* SPDX-License-Identifier: Apache-2.0 */
/* A tab: a page target with its frames, their isolated worlds, its load state, its dialog.
 *
 * The scripts of page/ are injected at the start of every document, into a world of their own that
 * the page cannot see or touch; tb_cdp_page_call calls a function of theirs in one frame. Frames of
 * another process are targets of their own and look just the same from here. A frame's world
 * appears a moment after its document begins: a call waits for it, within its deadline.
 *
 * A crashed tab fails its calls at once (TB_E_PAGE_CRASHED); a dialog fails them with
 * TB_E_DIALOG_OPEN; navigating revives a crashed tab. A pointer to a page or frame is valid until
 * the next return to the loop: ops keep ids and look them up again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "driver/cdp/wire/conn.h"

struct cJSON;
struct tb_cdp_page;
struct tb_cdp_frame;

enum {
    TB_REF_SIZE = 32,
};

struct tb_cdp_dialog {
    bool open;
    char type[16]; /* alert, confirm, prompt, beforeunload */
    char message[512];
    char default_text[256];
};

struct tb_cdp_frame *tb_cdp_page_main_frame(struct tb_cdp_page *page);
/* The frame whose refs begin with this number: "f2e7" is in frame 2; 0 is the main frame. NULL: no
 * such frame. */
struct tb_cdp_frame *tb_cdp_page_frame_by_number(struct tb_cdp_page *page, unsigned number);
/* By the browser's id (DOM.describeNode gives it for an iframe). NULL: no such frame. */
struct tb_cdp_frame *tb_cdp_page_frame_by_id(struct tb_cdp_page *page, struct tb_str frame_id);
unsigned tb_cdp_frame_number(const struct tb_cdp_frame *frame);
/* The ref of the iframe that holds the frame, in the script that gave it; "" until a snapshot has
 * entered the frame. */
const char *tb_cdp_frame_owner(const struct tb_cdp_frame *frame);
void tb_cdp_frame_set_owner(struct tb_cdp_frame *frame, struct tb_str ref);
struct tb_str tb_cdp_frame_url(const struct tb_cdp_frame *frame);
/* The uniqueContextId of our own world; empty while there is none. */
const char *tb_cdp_frame_world(const struct tb_cdp_frame *frame);
/* The origins of its document and of those around it, up to the tab's own; how many there are, 0 if
 * they are more than `max` or its document has no world of ours now. One that is not known, or is
 * shared with nobody, is empty. */
size_t tb_cdp_frame_origins(const struct tb_cdp_frame *frame, struct tb_str *ret_origins,
                            size_t max);
/* Its document is given a secret. */
void tb_cdp_frame_note_secret(struct tb_cdp_frame *frame);
/* The frame with the lowest number from `from` on whose document was; NULL: none. */
struct tb_cdp_frame *tb_cdp_page_secret_frame(const struct tb_cdp_page *page, unsigned from);
/* Shows in it again what was covered for a picture, without waiting. */
void tb_cdp_frame_lift_veil(struct tb_cdp_frame *frame);
/* Whether another frame of the tab has, or may have, another origin. */
bool tb_cdp_frame_has_strangers(const struct tb_cdp_frame *frame);

struct tb_cdp_conn *tb_cdp_page_conn(struct tb_cdp_page *page);
const char *tb_cdp_page_session_id(const struct tb_cdp_page *page); /* of the main target */
const char *tb_cdp_frame_session_id(
    const struct tb_cdp_frame *frame); /* of the target that it lives in */
const char *tb_cdp_page_target_id(const struct tb_cdp_page *page);
struct tb_str tb_cdp_page_url(const struct tb_cdp_page *page); /* as last told by the browser */
/* Where its navigation leads; its address if none is under way. */
struct tb_str tb_cdp_page_bound_for(const struct tb_cdp_page *page);
/* What it was opened for, if that came to nothing and it has no document yet; empty: all is well.
 */
struct tb_str tb_cdp_page_unopened(const struct tb_cdp_page *page);
/* A window without a document, since its first page has not answered. */
bool tb_cdp_page_awaits_first(const struct tb_cdp_page *page);
/* Another page is asked for and has not answered. Until it does, the browser may pass nothing on to
 * the present one. */
bool tb_cdp_page_is_leaving(const struct tb_cdp_page *page);
/* The address that is being loaded: another page is asked for, or the present one is not parsed to
 * its end. Empty: none. */
struct tb_str tb_cdp_page_loading(const struct tb_cdp_page *page);
/* What the document that it has now has told of itself; NULL: nothing yet. */
const struct cJSON *tb_cdp_page_arrived(const struct tb_cdp_page *page);
/* The last outline of it that was shown whole, for the next one to be compared with. */
struct tb_str tb_cdp_page_outline(const struct tb_cdp_page *page);
void tb_cdp_page_keep_outline(struct tb_cdp_page *page, struct tb_str outline);
/* Into how many fields of its document something was typed, as far as anybody has asked it. */
int64_t tb_cdp_page_typed(const struct tb_cdp_page *page);
void tb_cdp_page_note_typed(struct tb_cdp_page *page, int64_t fields);
const struct tb_cdp_dialog *tb_cdp_page_dialog(const struct tb_cdp_page *page);
/* True when a dialog keeps the tab from doing anything: its own, or that of a tab that shares its
 * thread. Says which. */
bool tb_cdp_page_in_dialog(const struct tb_cdp_page *page, struct tb_err *ret_err);
/* Dismisses what does; the operation under way takes note. The page goes on from there. */
void tb_cdp_page_dismiss(struct tb_cdp_page *page);
/* A call leaves this page, or its tab: until its document is gone, or tb_cdp_session_stay, its
 * dialogs are dismissed, and those of tabs that share its thread. The operation under way notes
 * them. With `ends` the script that asks is ended. */
void tb_cdp_page_leave(struct tb_cdp_page *page, bool ends);
bool tb_cdp_page_crashed(const struct tb_cdp_page *page);
/* A navigation away from it had no answer: the server's fault, or this page's until it has gone. */
void tb_cdp_page_keep_waiting(struct tb_cdp_page *page);
bool tb_cdp_page_kept_waiting(const struct tb_cdp_page *page);
/* Which of the tabs that pages of its session have opened, from 1; 0: a call has opened it. */
uint64_t tb_cdp_page_opened(const struct tb_cdp_page *page);

/* A command to the tab's main target (or to the frame's), with the operation's deadline. When the
 * tab crashes, closes or shows a dialog, it fails at once with the code for that; what still works
 * then (Page.navigate, Page.handleJavaScriptDialog ...) is let through. Gives a handle. */
uint64_t tb_cdp_page_send(struct tb_cdp_page *page, const char *method, struct tb_str params,
                          int64_t deadline_ms, tb_cdp_reply_fn *fn, void *user);
uint64_t tb_cdp_frame_send(struct tb_cdp_frame *frame, const char *method, struct tb_str params,
                           int64_t deadline_ms, tb_cdp_reply_fn *fn, void *user);
/* The same for a question that only asks whether the page has dealt with all that came before. */
uint64_t tb_cdp_page_fence(struct tb_cdp_page *page, int64_t deadline_ms, tb_cdp_reply_fn *fn,
                           void *user);

/* `code` 0 and the JSON value that the function gave (Runtime's result.value; null for undefined),
 * or a negative code and words. A function of page/ that fails says so by
 * {"error":{"code":"element_not_found","message":"..."}}: that arrives here as the code of that
 * wire name and its message. */
typedef void tb_cdp_page_call_fn(int code, struct tb_str value, const struct tb_err *err,
                                 void *user);
/* Calls tabard.<function>(args...) in the frame's isolated world and waits for its promise. `args`
 * is a JSON array without its brackets. A document that is replaced meanwhile: a function that only
 * reads, or still waits for its element, is called again in the new one, another ends with
 * TB_E_ELEMENT_STALE. Gives a handle. */
uint64_t tb_cdp_page_call(struct tb_cdp_frame *frame, const char *function, struct tb_str args,
                          int64_t deadline_ms, tb_cdp_page_call_fn *fn, void *user);

/* The function that is under way has told that it waits for its element, or that it acts now. */
void tb_cdp_page_calls_seek(struct tb_cdp_page *page, bool seeking);

/* Answers one that asks, after the page stood still, whether anybody still waits for it. */
void tb_cdp_page_calls_resume(const struct tb_cdp_page *page);

/* True when the browser refused a command because the document that it was about has gone. */
bool tb_cdp_page_was_replaced(const struct tb_err *err);

/* Navigations. A mark taken before an act tells afterwards whether the act began one. */
uint64_t tb_cdp_page_navigation_mark(const struct tb_cdp_page *page);
/* Whether all that began since the mark was taken is over and has changed addresses only. */
bool tb_cdp_page_stayed(const struct tb_cdp_page *page, uint64_t mark);
/* Whether the frame has begun to load another document since the mark was taken. */
bool tb_cdp_frame_has_left(const struct tb_cdp_frame *frame, uint64_t mark);
/* Another number, never 0, for each document that the frame gets. */
uint64_t tb_cdp_frame_document(const struct tb_cdp_frame *frame);
/* One of the names for `until`; "load" for what is none. */
const char *tb_cdp_page_stage(struct tb_str name);
/* Waits for what began since the mark: returns at once (by `fn`, later) if none did; else when the
 * new document has reached `until` ("commit", "domcontentloaded", "load", "networkidle"). `code` 0,
 * TB_E_TIMEOUT, TB_E_NAVIGATION with the browser's reason. Call it when the act has been answered.
 */
typedef void tb_cdp_page_settled_fn(int code, bool navigated, const struct tb_err *err, void *user);
uint64_t tb_cdp_page_settle(struct tb_cdp_page *page, uint64_t mark, const char *until,
                            int64_t deadline_ms, tb_cdp_page_settled_fn *fn, void *user);
/* The same for a navigation that the browser was asked for and that it begins by itself. Ends
 * without one when it came to nothing (204, a download) or did not begin within seconds. */
uint64_t tb_cdp_page_settle_asked(struct tb_cdp_page *page, uint64_t mark, const char *until,
                                  int64_t deadline_ms, tb_cdp_page_settled_fn *fn, void *user);

/* The callback of this handle will not come; ended handles are passed over. */
void tb_cdp_page_call_forget(struct tb_cdp_page *page, uint64_t handle);

/* Ends all that runs in the page, for who leaves it. */
void tb_cdp_page_terminate_script(struct tb_cdp_page *page);
/* Ends a script of the caller's in the frame, if it keeps the frame from answering: one that only
 * awaits does not. What the page does by itself is its own work and is not ended by a call that
 * cannot wait for it, so a script that may not have begun is left alone for longer. */
void tb_cdp_frame_end_script(struct tb_cdp_frame *frame, bool begun);
/* Whether it has just answered, so that a script that is sent now begins at once. */
bool tb_cdp_frame_has_just_answered(const struct tb_cdp_frame *frame);
/* Ends what the page does if it is in doubt: a call passed its deadline and it has not answered
 * since. For a navigation, which leaves the page and which one that spins would never let begin. */
void tb_cdp_page_free_if_in_doubt(struct tb_cdp_page *page);
