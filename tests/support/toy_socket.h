/* SPDX-License-Identifier: Apache-2.0 */
/* A front with a socket, as docs/adding-a-front.md teaches to write one: whoever upgrades gets back
 * what it says, all others a page at the same path. */
#pragma once

#include "core/front.h"

extern const struct tb_front toy_socket;
