/* SPDX-License-Identifier: Apache-2.0 */
/* What people see who watch a session: pictures of it as it is now, how large those who look want
 * them, and what their hands do. A picture is made once by the driver and counted, so that all who
 * look have the same bytes. Nothing here is an event: it is for those who look now, and kept
 * nowhere. */
#pragma once

#include "base/buf.h"

struct tb_picture {
    unsigned refs;
    const char *type; /* "image/jpeg"; static */
    struct tb_buf bytes;
};

/* In pixels. */
struct tb_want {
    int width;
    int height;
};

enum tb_input_kind {
    TB_INPUT_MOVE,
    TB_INPUT_DOWN, /* and up: a button of the mouse */
    TB_INPUT_UP,
    TB_INPUT_WHEEL,
    TB_INPUT_KEY_DOWN,
    TB_INPUT_KEY_UP,
    TB_INPUT_TEXT,
};

struct tb_input {
    enum tb_input_kind kind;
    double x; /* where in the picture, from 0 to 1: left to right, */
    double y; /* top to bottom */
    double dx;
    double dy; /* of the wheel, in pixels */
    int button;
    struct tb_str text; /* the name of a key, or what is typed */
};

/* With one reference and no bytes yet; `max` is the most that there may be. */
struct tb_picture *tb_picture_new(const char *type, size_t max);
struct tb_picture *tb_picture_ref(struct tb_picture *picture, const char *why);
void tb_picture_unref(struct tb_picture *picture, const char *why);
