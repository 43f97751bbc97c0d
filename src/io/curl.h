/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl, loaded when the first request is made. Linked, it would bring thirty libraries along:
 * half of a start's time and half of an idle daemon's memory, for what most daemons never do. A
 * function more is a row of io/curl.def. */
#pragma once

#include <curl/curl.h>

#include "base/err.h"

struct tb_curl {
#define TB_CURL(name) __typeof__(curl_##name) *name;
#include "io/curl.def"
#undef TB_CURL
};

/* It stays loaded. */
int tb_curl_load(struct tb_curl *ret_curl, struct tb_err *err);
