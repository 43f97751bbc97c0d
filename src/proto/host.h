/* SPDX-License-Identifier: Apache-2.0 */
/* A host in its one canonical form, whichever of the spellings that browsers accept was used: names
 * in lower case and as A-labels (IDNA, by libidn2), without the dot at the end; addresses as
 * addresses, also when they came in decimal, octal, hexadecimal or short form. It follows the
 * host parser of the URL standard (WHATWG), and refuses besides what no DNS name can be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "proto/ip.h"

enum {
    TB_HOST_SIZE = 254,      /* of a name, with its NUL */
    TB_HOST_GIVEN_MAX = 1024 /* before escapes are resolved */
};

struct tb_host {
    char name[TB_HOST_SIZE]; /* of an address its usual text, without brackets */
    bool is_ip;
    struct tb_ip ip;
};

/* IPv6 in brackets. TB_E_BAD_URL for what is no host. */
int tb_host_read(struct tb_str text, struct tb_host *ret_host, struct tb_err *err);
/* For an address that is known already, as one that was connected to. */
void tb_host_from_ip(const struct tb_ip *ip, struct tb_host *ret_host);
/* localhost and all below it: browsers take them for this machine without asking anybody. */
bool tb_host_is_local_name(const struct tb_host *host);
