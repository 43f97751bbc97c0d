/* SPDX-License-Identifier: Apache-2.0 */
/* Where an address leads, read as browsers read it (the URL standard, without a base): scheme,
 * canonical host and port. Tabs and line ends inside, backslashes, any number of slashes and user
 * names are no way around: they mean here what they mean there. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "proto/host.h"

/* A bit each, so that they can be in a set. */
enum tb_scheme {
    TB_SCHEME_HTTP = 1,  /* ws too: the same server on the same port */
    TB_SCHEME_HTTPS = 2, /* wss too */
    TB_SCHEME_ABOUT = 4,
    TB_SCHEME_DATA = 8,
    TB_SCHEME_BLOB = 16,
    TB_SCHEME_OTHER = 32,
};

struct tb_url_parts {
    enum tb_scheme scheme;
    char scheme_name[16]; /* in lower case, cut if it is longer; without the colon */
    struct tb_host host;  /* of http and https; otherwise empty */
    uint16_t port;        /* the same; the usual one if none was given */
};

/* TB_E_BAD_URL for what browsers do not take for an address on its own, and for hosts that are
 * none. */
int tb_url_parts_read(struct tb_str url, struct tb_url_parts *ret_parts, struct tb_err *err);
/* The scheme of this name, in lower case and without the colon; TB_SCHEME_OTHER if it is none of
 * the others. *ret_port is the usual port, 0 for those without hosts. */
enum tb_scheme tb_scheme_of(struct tb_str name, uint16_t *ret_port);
