/* SPDX-License-Identifier: Apache-2.0 */
/* Cookies of a state that was saved, as the browser takes them. */
#pragma once

#include "base/buf.h"

struct cJSON;

/* Params of Storage.setCookies for the array `cookies` of a state. */
int tb_cdp_cookies_put_set(const struct cJSON *state, const char *context_id, struct tb_buf *out);
