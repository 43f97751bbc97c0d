/* SPDX-License-Identifier: Apache-2.0 */
/* The file chooser that a page has opened last. The browser shows none: it hands each to us, and
 * upload answers it, or nobody does, which holds up nothing. Another one takes its place; it goes
 * with the document that opened it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct cJSON;
struct tb_cdp_frame;
struct tb_cdp_page;
struct tb_cdp_page_cmd;
struct tb_cdp_target;

struct tb_cdp_chooser {
    bool open;       /* it can be answered: it is one for files, and of a field */
    bool untold;     /* no reply has mentioned it yet */
    bool multiple;   /* it takes several files */
    int64_t node;    /* the browser's number of the field, which may be in no document */
    unsigned frame;  /* the number of the frame that opened it */
    char accept[96]; /* the kinds of files that the field asks for; empty: any */
    struct tb_cdp_page_cmd *ask; /* for these; NULL: known */
};

void tb_cdp_chooser_on_opened(struct tb_cdp_target *target, const struct cJSON *params);
/* The frame has another document, or is gone. */
void tb_cdp_chooser_on_left(const struct tb_cdp_frame *frame);
/* Puts `chooser` of docs/operations.md into a result, once. */
void tb_cdp_chooser_tell(struct tb_cdp_chooser *chooser, struct cJSON *data);
struct tb_cdp_chooser *tb_cdp_page_chooser(struct tb_cdp_page *page);
