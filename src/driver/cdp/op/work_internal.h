/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of an operation, for work*.c. */
#pragma once

#include "driver/cdp/op/work.h"
#include "driver/cdp/page/page.h"

/* Frees it without a word to anybody. */
void tb_cdp_work_drop(struct tb_cdp_work *work);
bool tb_cdp_work_end_failed(struct tb_cdp_work *work, const struct tb_err *err);
/* A dialog was in the way of leaving the page. The first are told one by one, then their number. */
void tb_cdp_work_note_dismissed(struct tb_cdp_running *running, const struct tb_cdp_dialog *dialog);
/* What its tabs and its session tell it, see page/running.h. */
void tb_cdp_work_notice(struct tb_cdp_running *running);
void tb_cdp_work_told(struct tb_cdp_running *running, struct tb_cdp_page *page,
                      const struct cJSON *told);
void tb_cdp_work_ask_here(struct tb_deferred *job);
void tb_cdp_work_on_noticed(struct tb_deferred *job);
void tb_cdp_work_on_requests_late(struct tb_timer *timer, void *user);
void tb_cdp_work_on_word_late(struct tb_timer *timer, void *user);
