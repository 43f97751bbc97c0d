/* SPDX-License-Identifier: Apache-2.0 */
/* The browser's names for why a page could not be loaded (net::ERR_...), in plain words. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* TB_E_CANNOT_OPEN where another attempt cannot help, else TB_E_NAVIGATION. Names that are not
 * known are shown as they are. */
void tb_cdp_net_error_words(struct tb_str name, struct tb_str url, struct tb_err *ret_err);
