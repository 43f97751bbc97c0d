/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses a tab may be sent to. Over DevTools a browser opens everything, also file: and
 * its own chrome: pages, in any spelling that its parser takes for them; so an address is brought
 * into the form that the parser sees (no blanks around it, no tabs and line ends inside) and then
 * compared with the few schemes that are allowed. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TB_ADDRESS_MAX = 64 * 1024,
};

/* Appends what the browser is to be given: http, https or about:blank, and with `data_urls` data:
 * too. A bare host gets a scheme: http for localhost and IP addresses, https for all others.
 * TB_E_BAD_URL for everything else. */
int tb_address_make(struct tb_str given, bool data_urls, struct tb_buf *out, struct tb_err *err);
/* Whether what a tab shows is of the machine or of the browser itself, where no page leads. */
bool tb_address_is_inner(struct tb_str url);
