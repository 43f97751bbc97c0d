/* SPDX-License-Identifier: Apache-2.0 */
/* Where a secret may be typed. Its domains are "example.com" (that host and those below it) or
 * "=example.com" (that host alone), in lower case; an address of a machine always stands alone. A
 * document gets it if its origin is https, or http on this machine, and its host is in one of
 * them. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum {
    TB_SECRET_DOMAIN_SIZE = 256, /* with "=" and a NUL */
};

/* The canonical form. TB_E_PARAMS with words; a single label is none, but for localhost, nor is a
 * public suffix (co.uk). */
int tb_secret_domain_parse(struct tb_str text, char ret_domain[TB_SECRET_DOMAIN_SIZE],
                           struct tb_err *err);
/* The domain is in canonical form. */
bool tb_secret_domain_has(const char *domain, struct tb_str host);
/* The host of an origin that may get secrets at all; false: none may be typed there. */
bool tb_secret_origin_host(struct tb_str origin, struct tb_str *ret_host);
