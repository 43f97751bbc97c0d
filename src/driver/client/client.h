/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of pages that come by themselves and bring tools (kind client): a page registers a
 * list of tools, agents call them. tabard relays and runs nothing itself.
 *
 *   client.c  a session from its beginning to its end
 *   page.c    the driver's end of the channel: what the page asks, and the answers to it
 *   tools.c   the list of tools, as the page told it last
 *   invoke.c  calls that a page was asked to answer */
#pragma once

#include "core/driver.h"

extern const struct tb_driver tb_driver_client;
