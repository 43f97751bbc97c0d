/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a value into one field, as its kind wants it, and looks at what the field has then. Part of
 * an operation: its answers pass through the operation's `step`, what the page tells of input that
 * went elsewhere through `missed`.
 *
 *   [LOOK for the field, if the value has a secret: it is only for the document that the field is
 * in] FILL --the page could do it itself: text, date, select--> done
 *        --an editor, or keys with a delay--> TYPING --> READ --> done
 *        --checkbox, other than wanted--> CLICK --> CHECKED --> done
 *                                         ^-- it was mixed --/ */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "driver/cdp/op/click.h"
#include "driver/cdp/op/typist.h"
#include "driver/cdp/op/work.h"
#include "io/timer.h"

struct tb_cdp_filler {
    struct tb_cdp_work *work;
    int phase;
    struct tb_str target; /* borrowed from the operation's arguments */
    struct tb_str value;
    bool clear;
    bool tells_changes; /* from this field on */
    int64_t delay_ms;   /* between keys; 0: all at once */
    size_t typed;       /* bytes so far, with a delay */
    bool last;          /* nothing is done after it, so the end may be prepared */
    struct tb_cdp_click click;
    struct tb_cdp_typist typist;
    struct tb_key key; /* instead of an empty text */
    struct tb_timer timer;
    char document[32]; /* that the fields before it were in; empty: there were none */
    bool has_text;     /* the page said so, before its own scripts heard of it */
    bool mixed;        /* the box was neither checked nor not, so a second click may be needed */
    bool ticked;       /* so it said of the box, and that it is as wanted */
    bool word_late;    /* and is waited for no longer */
    bool secret;
    bool differs;       /* it has another value than it was given */
    bool unsaid;        /* it shows another value, though that is the one that was meant */
    char element[1024]; /* what was filled, as far as the page told */
    char now[512];      /* what it has, if that may be told */
};

void tb_cdp_filler_init(struct tb_cdp_filler *filler, struct tb_cdp_work *work);
void tb_cdp_filler_fini(struct tb_cdp_filler *filler);
/* Begins; target, value, clear, tells_changes and delay_ms are set. */
void tb_cdp_filler_start(struct tb_cdp_filler *filler);
/* An answer. True: the field is filled. False: it goes on, or the operation has failed. */
bool tb_cdp_filler_step(struct tb_cdp_filler *filler, struct tb_str value);
/* For tb_cdp_work_kind's `missed` and `failed`. */
void tb_cdp_filler_missed(struct tb_cdp_filler *filler, const struct cJSON *told);
bool tb_cdp_filler_failed(struct tb_cdp_filler *filler, const struct tb_err *err);
/* For its `told`: the text is in. */
bool tb_cdp_filler_told(struct tb_cdp_filler *filler, const struct cJSON *told);
/* Whether the text was in when a dialog came up. */
bool tb_cdp_filler_has_text(const struct tb_cdp_filler *filler, const struct tb_err *err);
/* Whether the page's word that it is may be on its way; the end of the operation waits for it. */
bool tb_cdp_filler_awaits_word(const struct tb_cdp_filler *filler, const struct tb_err *err);
/* What to add to the words of a failure where the text may go in behind a dialog; "": nothing. */
const char *tb_cdp_filler_doubt(const struct tb_cdp_filler *filler, const struct tb_err *err);
