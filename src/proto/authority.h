/* SPDX-License-Identifier: Apache-2.0 */
/* "host:port" as it stands in Host, Origin and request targets: split and checked, not resolved. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct tb_authority {
    struct tb_str host; /* without the brackets of an IPv6 literal */
    bool ipv6;
    bool has_port;
    uint16_t port;
};

/* False for user-info, bad ports, empty hosts, unbalanced brackets, characters that no host has. */
bool tb_authority_parse(struct tb_str text, struct tb_authority *ret_authority);
/* "scheme://host[:port]" and nothing behind it, as browsers send it; false for "null" and anything
 * else. */
bool tb_origin_parse(struct tb_str text, struct tb_str *ret_scheme,
                     struct tb_authority *ret_authority);
/* The address of a listener: as above with a port, which may be 0 (the system chooses). The name
 * localhost gives 127.0.0.1, other names stay names. */
bool tb_authority_parse_listen(struct tb_str text, struct tb_authority *ret_authority);
/* The address that stands for all of the machine's. */
bool tb_authority_is_any(const struct tb_authority *authority);
