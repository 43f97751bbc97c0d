/* SPDX-License-Identifier: Apache-2.0 */
/* One DevTools message, as ranges of its text: no tree is made.
 *
 * A page can put anything into its strings, and Chromium writes it as escapes that strict JSON
 * readers refuse: halves of surrogate pairs and \u0000. Such a message is repaired to \ufffd, so
 * that no page can break the line and whoever reads a part of it later may trust it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tb_cdp_message {
    bool has_id;
    uint64_t id;
    struct tb_str method;     /* without quotes; empty in a reply */
    struct tb_str session_id; /* without quotes; empty for the browser's own */
    struct tb_str params;     /* JSON; empty: none */
    struct tb_str result;     /* JSON; empty: none */
    struct tb_str error;      /* JSON; empty: none */
    char *repaired;           /* owns the text when it had to be changed */
};

/* TB_E_PARSE when this is no message of the protocol. */
int tb_cdp_message_parse(struct tb_str text, struct tb_cdp_message *ret_message,
                         struct tb_err *err);
void tb_cdp_message_fini(struct tb_cdp_message *message);
/* The id at the very beginning of a message, where the browser writes it; false if it is not there.
 */
bool tb_cdp_message_head_id(struct tb_str head, uint64_t *ret_id);
/* Words and kind of an error: TB_E_NOT_FOUND when the session or target is gone, else
 * TB_E_PROTOCOL. */
int tb_cdp_message_error(struct tb_str error, struct tb_err *ret_err);
