/* SPDX-License-Identifier: Apache-2.0 */
/* Webhooks: events as POST requests to addresses of the configuration. Each hook has a queue with
 * ceilings and is sent one event at a time, in order, again and again with growing pauses until it
 * answers with 2xx or the event is given up.
 *
 *   idle --offer--> due --post--> 2xx: the next one, or idle
 *                    ^-- pause --' else */
#pragma once

#include <stdbool.h>

#include "base/mem.h"
#include "core/core.h"
#include "front/events/notice.h"

struct tb_hooks;

struct tb_hooks *tb_hooks_new(struct tb_core *core);
/* What waits or is under way is lost. */
void tb_hooks_free(struct tb_hooks *hooks);
TB_DEFINE_AUTO(struct tb_hooks *, tb_hooks_free)
/* True if there are any. */
bool tb_hooks_any(const struct tb_hooks *hooks);
/* Hands the notice to every hook that wants it. */
void tb_hooks_offer(struct tb_hooks *hooks, struct tb_notice *notice);
