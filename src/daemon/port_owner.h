/* SPDX-License-Identifier: Apache-2.0 */
/* Whose program listens on a TCP port, as the kernel tells it to everybody. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* False when nobody listens there or it cannot be found out. */
bool tb_port_owner(uint16_t port, uid_t *ret_uid);
