/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's script as text for the browser. It may be one expression, statements, or the body of
 * a function; each form gives its value in another way. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

enum tb_cdp_script_form {
    TB_SCRIPT_VALUE,      /* an expression; a function is called */
    TB_SCRIPT_STATEMENTS, /* the value of the last expression; await stands anywhere */
    TB_SCRIPT_BODY,       /* what `return` gives */
};

/* The form to try first: some words begin statements and nothing else. */
enum tb_cdp_script_form tb_cdp_script_form_of(struct tb_str script, bool on_element);
/* The text to run. `on_element`: a function with the element as its argument. A value or a body
 * without element gives {v, t}: the value and the page's title, or {n}, the length of a value that
 * is longer than any result may be. */
void tb_cdp_script_put(enum tb_cdp_script_form form, bool on_element, struct tb_str script,
                       struct tb_buf *out);
/* A function that gives {v, t} or {n} of the object that it is called on, or of what that promises.
 */
extern const char tb_cdp_script_show[];
/* True if a function may be meant that pages have only for a user who has just done something. */
bool tb_cdp_script_wants_gesture(struct tb_str script);
