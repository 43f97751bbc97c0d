/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that a request belongs to, as W3C's Trace Context has it:
 * 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum {
    TB_TRACEPARENT_LEN = 55,
};

/* False: it is to be taken as if none was sent. Of a version to come only what is as in 00 may be
 * there. */
bool tb_traceparent_valid(struct tb_str text);
