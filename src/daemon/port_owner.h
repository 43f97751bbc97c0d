/* SPDX-License-Identifier: Apache-2.0 */
/* Whose program listens on a TCP port, as the kernel tells it to everybody, and whether it is one
 * of ours. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* False when nobody listens there or it cannot be found out. */
bool tb_port_owner(uint16_t port, uid_t *ret_uid);
/* True if what listens there greets as tabard does. Asks and waits, half a second at most: only for
 * a daemon that cannot start. */
bool tb_port_is_tabard(const char *ip, uint16_t port);
