/* SPDX-License-Identifier: Apache-2.0 */
/* A proxy of somebody else's by which sessions go out: "http://host:3128" (CONNECT) or
 * "socks5://host:1080", with user name and password if it wants them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "proto/host.h"

struct cJSON;

enum tb_upstream_kind {
    TB_UPSTREAM_HTTP,
    TB_UPSTREAM_SOCKS5,
};

struct tb_upstream {
    enum tb_upstream_kind kind;
    struct tb_host host;
    uint16_t port;
    char user[256]; /* empty: none; SOCKS5 allows 255 bytes of each */
    char password[256];
    bool trusted; /* the operator's, and not judged by the rules for pages */
};

/* "http://user:password@host:port". TB_E_PARAMS with words that never repeat what was given, which
 * may hold a password. */
int tb_upstream_read(struct tb_str text, struct tb_upstream *ret_upstream, struct tb_err *err);
/* {"server":"http://host:port","username":"...","password":"..."}; the last two may be missing. */
int tb_upstream_read_json(const struct cJSON *json, struct tb_upstream *ret_upstream,
                          struct tb_err *err);
