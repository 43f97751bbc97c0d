/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of a session's pages, the newest of them, from the moment that somebody asks. Bodies
 * stay in the browser and are fetched from there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/list.h"
#include "base/str.h"

enum {
    TB_NET_REQUESTS = 200,
};

struct tb_cdp_net_log {
    struct tb_list requests;
    size_t count;
    uint64_t last; /* number of the newest */
};

struct tb_cdp_net_filter {
    struct tb_str find; /* part of the address; empty: all */
    struct tb_str type; /* without regard to case; empty: all */
    bool failed;        /* only those */
    size_t limit;
};

void tb_cdp_net_log_init(struct tb_cdp_net_log *log);
void tb_cdp_net_log_fini(struct tb_cdp_net_log *log);
void tb_cdp_net_log_clear(struct tb_cdp_net_log *log);
/* Takes the events of the Network domain that it knows. */
void tb_cdp_net_log_on_event(struct tb_cdp_net_log *log, const char *session_id,
                             struct tb_str method, struct tb_str params);
/* The newest ones that fit, oldest first, as an array; gives how many fit in all. */
size_t tb_cdp_net_log_list(const struct tb_cdp_net_log *log, const struct tb_cdp_net_filter *filter,
                           struct cJSON *ret_array);
/* One in full, as an object; NULL: unknown. Also the browser's id for it and its session, borrowed.
 */
struct cJSON *tb_cdp_net_log_get(const struct tb_cdp_net_log *log, struct tb_str id,
                                 const char **ret_request_id, const char **ret_session_id);
