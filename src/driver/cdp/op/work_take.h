/* SPDX-License-Identifier: Apache-2.0 */
/* What the page says after an act, put into the result of an operation: where it is, what changed,
 * what the press came to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct cJSON;
struct tb_cdp_work;

/* What the act has changed in the page. */
struct tb_cdp_changes {
    bool watched; /* the document of the tab knows all of it */
    size_t kept;  /* bytes of the changes that came before it, of another field */
    int64_t more_kept;
};

/* Whether the caller wants to hear what the act has changed. */
bool tb_cdp_work_wants_changes(const struct tb_cdp_work *work);
/* A page function that is called next has its document watch for them, from the act on. */
void tb_cdp_work_watch_changes(struct tb_cdp_work *work);
/* From a reply of the page after the act: whether it went elsewhere; what it changed; that and
 * where the page is. */
bool tb_cdp_work_is_missed(const struct cJSON *reply);
/* From what `missed` was told: whether the focus is in another frame now, after so many keys. */
bool tb_cdp_work_is_away(const struct cJSON *told, struct tb_str *ret_where, int64_t *ret_keys);
/* From what `told` was told: `dropped` and `instead`. False: it is about something else. */
bool tb_cdp_work_take_drop(struct tb_cdp_work *work, const struct cJSON *told);
void tb_cdp_work_take_changes(struct tb_cdp_work *work, const struct cJSON *reply);
void tb_cdp_work_take(struct tb_cdp_work *work, const struct cJSON *reply);
/* Address and title are known already. */
void tb_cdp_work_known(struct tb_cdp_work *work, struct tb_str url, struct tb_str title);
