/* SPDX-License-Identifier: Apache-2.0 */
/* The outline of a page with all that belongs to it. A closed shadow root can only be opened by the
 * browser, and a frame of another site only be read by its own script, so:
 *
 *   MAIN --hosts to ask for--> HOSTS --> MAIN again, once
 *   MAIN --frames inside--> FRAMES --> done
 *
 * Part of an operation: its answers pass through the operation's `step`, the text comes into the
 * operation's result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "driver/cdp/op/outline_frames.h"
#include "driver/cdp/op/shadow_roots.h"

struct tb_err;
struct tb_cdp_work;

struct tb_cdp_outline {
    struct tb_cdp_work *work;
    const char *args; /* names of the operation's that are passed on */
    int64_t max_chars;
    int phase;
    bool asked_roots;
    struct tb_cdp_shadow_roots roots;
    struct tb_cdp_outline_frames frames;
    struct tb_buf page; /* {"url":...,"title":...} */
};

void tb_cdp_outline_init(struct tb_cdp_outline *outline, struct tb_cdp_work *work, const char *args,
                         int64_t max_chars);
void tb_cdp_outline_fini(struct tb_cdp_outline *outline);
void tb_cdp_outline_start(struct tb_cdp_outline *outline);
/* An answer, empty if it was a failure that tb_cdp_outline_bears. True: the outline is complete. */
bool tb_cdp_outline_step(struct tb_cdp_outline *outline, struct tb_str value);
/* Whether it goes on without what failed so: the rest of the page is worth having. */
bool tb_cdp_outline_bears(const struct tb_cdp_outline *outline, const struct tb_err *err);
