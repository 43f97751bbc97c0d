/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an answer of the browser's, as they stand in its JSON: most are passed on without a look
 * inside. */
#pragma once

#include <stddef.h>

#include "base/str.h"

/* The raw value of a member of an object that the connection has checked; empty: absent. */
struct tb_str tb_cdp_pick(struct tb_str object, const char *key);
/* The same for several members in one walk: large objects are not walked over again and again. */
void tb_cdp_pick_all(struct tb_str object, const char *const *keys, size_t count,
                     struct tb_str *ret_values);
/* The number of the world of a remote object, whose id is "isolate.world.number"; 0: not known. */
int tb_cdp_object_context(struct tb_str object_id);
