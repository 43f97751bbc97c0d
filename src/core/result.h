/* SPDX-License-Identifier: Apache-2.0 */
/* What a call gives back: either an error with words, or data, text and at most one picture.
 *
 * `data` is a small object with documented keys (docs/operations.md), from which a toolset prints
 * its own form; large things (a snapshot, an extract, the value of an evaluate) go into `text`
 * without a tree in between, a picture into `image` as base64 just as the browser sent it. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct tb_view;

struct tb_result {
    const struct tb_view *view; /* what its reader was given; NULL: everything */
    bool whole;                 /* the reader cuts it where it is long */
    int code;                   /* 0, or a negative code */
    char message[1024];
    struct cJSON *data; /* an object; made by tb_result_init */
    struct tb_buf text;
    struct tb_buf raw; /* of invoke: JSON as it came, never printed again */
    struct tb_buf image;
    const char *image_type; /* "image/png", constant */
};

/* For a reader that has everything. The ceilings of text and image stand in core/limits.h. */
void tb_result_init(struct tb_result *result);
void tb_result_fini(struct tb_result *result);
/* As new, for the same reader. */
void tb_result_reset(struct tb_result *result);
/* Notes a failure; the first one stays. Returns the code. */
int tb_result_fail(struct tb_result *result, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int tb_result_fail_err(struct tb_result *result, const struct tb_err *err);
/* Gives `to` what `from` has; all that is left to do with `from` is fini. */
void tb_result_move(struct tb_result *to, struct tb_result *from);
