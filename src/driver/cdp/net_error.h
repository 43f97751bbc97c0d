/* SPDX-License-Identifier: Apache-2.0 */
/* The browser's names for why a page could not be loaded (net::ERR_...), in plain words. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Always TB_E_NAVIGATION; unknown names are told as they are. */
void tb_net_error_words(struct tb_str name, struct tb_str url, struct tb_err *ret_err);
