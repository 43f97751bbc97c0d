/* SPDX-License-Identifier: Apache-2.0 */
/* How long a session lives: by its kind, and for browsers by who started them. One row per case in
 * core/lifetime.c, with the settings that it takes its times from. */
#pragma once

#include <stdint.h>

struct tb_session;

enum tb_at_idle {
    TB_IDLE_CLOSE,     /* the session ends */
    TB_IDLE_HIBERNATE, /* its browser is freed, the next call brings it back */
    TB_IDLE_REST,      /* only its state changes */
};

/* Times in milliseconds; 0 is never. */
struct tb_lifetime {
    enum tb_at_idle at_idle;
    int64_t idle_ms;     /* after the last call */
    int64_t max_age_ms;  /* however busy it is */
    int64_t ttl_ms;      /* unless it is renewed */
    int64_t ttl_max_ms;  /* the most that a renewal can give; 0: any */
    int64_t away_ms;     /* without its peer: core/session_away.h */
    int64_t members_max; /* how many agents may work in it: core/members.h; 0: it has no members */
};

struct tb_lifetime tb_lifetime_of(const struct tb_session *session);
