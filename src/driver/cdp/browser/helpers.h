/* SPDX-License-Identifier: Apache-2.0 */
/* The helper processes that a browser of ours cannot lose without losing what sessions have: the
 * network service holds their cookies, the storage service their storage, and without its zygotes
 * the browser starts no further page. Chromium replaces the services in silence and the zygotes
 * never, so their ends are watched here. */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "io/loop.h"

struct tb_cdp_helpers;

/* One of them has ended; `words` says which. Once. */
typedef void tb_cdp_helpers_fn(const char *words, void *user);

struct tb_cdp_helpers *tb_cdp_helpers_new(struct tb_loop *loop, tb_cdp_helpers_fn *fn, void *user);
void tb_cdp_helpers_free(struct tb_cdp_helpers *helpers);
/* Takes the answer to SystemInfo.getProcessInfo and watches whom it names and is not watched yet.
 */
void tb_cdp_helpers_take(struct tb_cdp_helpers *helpers, struct tb_str process_info);
/* False when one has ended, even if the loop has not told so yet. */
bool tb_cdp_helpers_whole(const struct tb_cdp_helpers *helpers);
