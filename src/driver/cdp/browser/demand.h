/* SPDX-License-Identifier: Apache-2.0 */
/* How many contexts a browser keeps ready: as many as sessions came at once in the last minutes, a
 * few where they came one right after the other, at least one, and none when memory is short. A
 * context that waits costs 18 to 26 MB and saves its session the start of a renderer, half of the
 * time to its first page. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TB_SPARES_MAX = 16,
};

/* All zero at first. */
struct tb_cdp_demand {
    size_t in_a_row; /* sessions that came, each soon after the one before */
    int64_t last_ms; /* when the last of them came */
    size_t at_once; /* of these, since a page was loaded: before its page an agent does not go on */
    size_t peak;    /* the most that were wanted */
    int64_t peak_ms; /* when that was */
};

/* A session came. */
void tb_cdp_demand_note(struct tb_cdp_demand *demand, int64_t now_ms);
void tb_cdp_demand_page_loaded(struct tb_cdp_demand *demand);
/* How many may come at once, from 1 to TB_SPARES_MAX. */
size_t tb_cdp_demand_spares(const struct tb_cdp_demand *demand, int64_t now_ms);
/* More than one came within the last moments, so the next may be near. */
bool tb_cdp_demand_bursting(const struct tb_cdp_demand *demand, int64_t now_ms);

/* How many spares this much memory allows. */
size_t tb_cdp_demand_affordable(int64_t available_bytes);
/* What the machine, or the group of processes that we are in, has left. */
int64_t tb_cdp_demand_available(void);
