/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever saves a session and brings back what was saved, as the session sees it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tb_cdp_keeper;
struct tb_driver_session;

struct tb_cdp_keeper_ops {
    /* The session has its context and one empty tab. True: something is brought back first, by
     * this time; tb_cdp_session_prepared follows once, later. */
    bool (*seated)(struct tb_cdp_keeper *keeper, struct tb_driver_session *session,
                   int64_t deadline_ms);
    /* There is no more time for that: it ends here, and tb_cdp_session_prepared does not follow. */
    void (*cut)(struct tb_cdp_keeper *keeper);
    /* What is under way ends with this error; NULL: without a word to anybody. */
    void (*end)(struct tb_cdp_keeper *keeper, const struct tb_err *err);
    /* The session goes: what is under way ends without a word. */
    void (*free)(struct tb_cdp_keeper *keeper);
};

struct tb_cdp_keeper {
    const struct tb_cdp_keeper_ops *ops;
};
