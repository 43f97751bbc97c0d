/* SPDX-License-Identifier: Apache-2.0 */
/* The part of an address that may be told and kept: without user and password, query and fragment,
 * where secrets and what people typed stand; of a data: or blob: address only the scheme. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

/* Appends it, cut at TB_URL_SHOWN_MAX. */
void tb_url_shown(struct tb_str url, struct tb_buf *out);
