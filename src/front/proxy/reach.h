/* SPDX-License-Identifier: Apache-2.0 */
/* From a goal to a connection. The name is looked up once, here; each of its addresses is judged,
 * and one of those that may be used is connected to, so no second look-up can lead elsewhere.
 *
 *   looking up --> connecting --> (greeting an upstream proxy) --> there
 *
 * Where several addresses may be used, the next is tried when one fails or is slow, and the first
 * that answers wins. */
#pragma once

#include "core/egress.h"
#include "io/dns.h"
#include "io/loop.h"
#include "io/stream.h"

struct tb_reach;

/* The stream is the receiver's, connected and not started; `address` is NULL where an upstream
 * proxy chose it. Or a negative code with words: a refusal of tb_egress_judge_address, or
 * TB_E_NAVIGATION, TB_E_TIMEOUT. Once, later, unless cancelled. */
typedef void tb_reach_fn(int code, struct tb_stream *stream, const struct tb_ip *address,
                         const struct tb_err *err, void *user);

struct tb_reach_spec {
    struct tb_loop *loop;
    struct tb_dns *dns;
    const struct tb_egress *egress; /* outlives it */
    const struct tb_egress_goal *goal;
    tb_reach_fn *fn;
    void *user;
};

/* Valid until `fn` begins. */
struct tb_reach *tb_reach_start(const struct tb_reach_spec *spec);
/* NULL is passed over. */
void tb_reach_cancel(struct tb_reach *reach);
