/* SPDX-License-Identifier: Apache-2.0 */
/* Sends keys, and no more of them once the focus has gone elsewhere. Part of an operation: its
 * answers pass through the operation's `step`; that keys went astray, through `missed`.
 *
 * Keys that reach a wrong element are held back by its document, if that is of the target's origin
 * (page/aim.js). Where the tab has no other frames, all go out in one burst. Otherwise the target's
 * document is asked before and after each of them:
 *
 *   ASK --the focus is there--> KEY --> ASK ... --> done         burst: KEY --> [ASK] --> done
 *
 * After a burst it is asked only if the page has not told of the last key by itself. */
#pragma once

#include "driver/cdp/op/work.h"
#include "driver/keys.h"

struct tb_cdp_typist {
    struct tb_cdp_work *work;
    const struct tb_key *key; /* NULL: the text */
    struct tb_str text;
    bool at_once;  /* the text comes as if pasted */
    int64_t count; /* of the keys that the target has to get; 0: who types looks for itself */
    int phase;
    bool wary;
    size_t sent;     /* bytes of the text; of a key, 1 */
    int64_t strokes; /* that were sent since it was asked first */
    int64_t before;  /* keys that the element had before them */
    char frame[256]; /* that has the focus, if there is no target */
};

/* Begins; work, key or text, and perhaps count are set, the rest is zero. */
void tb_cdp_typist_start(struct tb_cdp_typist *typist);
/* An answer. True: all was sent. False: it goes on, or the operation has failed. */
bool tb_cdp_typist_step(struct tb_cdp_typist *typist, struct tb_str value);
/* For tb_cdp_work_kind's `failed`: what was asked last is gone, because the keys led elsewhere. */
bool tb_cdp_typist_failed(struct tb_cdp_typist *typist, const struct tb_err *err);
/* Whether something is still to be sent. */
bool tb_cdp_typist_has_rest(const struct tb_cdp_typist *typist);
/* Whether a key that was sent has not reached the element, which has had so many in all. */
bool tb_cdp_typist_has_lost(const struct tb_cdp_typist *typist, int64_t keys);
