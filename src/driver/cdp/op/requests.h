/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that an act has begun: what comes of a click is often known only with their answers, a
 * navigation or new content. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "driver/cdp/page/target.h"

struct tb_cdp_page;
struct tb_cdp_work;

enum {
    TB_REQUESTS_MAX = 8,
    TB_REQUESTS_MS = 1000, /* for their answers */
};

/* Of one operation. */
struct tb_cdp_requests {
    bool counted; /* those that begin now are the act's */
    bool waiting; /* the operation has begun to wait for them */
    bool late;    /* it has waited long enough */
    bool ended;   /* ask the page again: one of them or the wait has ended, or its address is new */
    size_t count; /* under way */
    char ids[TB_REQUESTS_MAX][TB_TARGET_ID_SIZE];
};

/* Before the act. */
void tb_cdp_work_requests_count(struct tb_cdp_work *work);
/* The page is being left: nobody waits for its answers. */
void tb_cdp_work_requests_forget(struct tb_cdp_work *work);
/* Nobody will tell of their ends. */
void tb_cdp_work_requests_unheard(struct tb_cdp_work *work);
/* Events of the Network domain. */
void tb_cdp_work_requests_on_event(struct tb_cdp_work *work, struct tb_cdp_page *page,
                                   struct tb_str method, struct tb_str params);
