/* SPDX-License-Identifier: Apache-2.0 */
/* Makes closed shadow roots known to the scripts of page/. A page cannot reach them, the browser
 * can: it is asked about each element that the last snapshot took for a possible host, and the
 * roots that it finds are handed to tabard.adopt. Part of an operation: its answers pass through
 * the operation's `step`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tb_cdp_work;
struct tb_str;

enum {
    TB_SHADOW_HOSTS_MAX = 200,
};

struct tb_cdp_shadow_root {
    char *host;     /* remote object */
    long long node; /* of its closed root; 0: it has none */
};

struct tb_cdp_shadow_roots {
    int phase;
    size_t count;
    size_t answers; /* of this phase so far */
    int context;    /* the number of our world */
    struct tb_cdp_shadow_root items[TB_SHADOW_HOSTS_MAX];
};

void tb_cdp_shadow_roots_init(struct tb_cdp_shadow_roots *roots);
void tb_cdp_shadow_roots_fini(struct tb_cdp_shadow_roots *roots);
void tb_cdp_shadow_roots_start(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work);
/* An answer, empty if it was a failure. True: that was the last one. */
bool tb_cdp_shadow_roots_step(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                              struct tb_str value);
