/* SPDX-License-Identifier: Apache-2.0 */
/* Teaches the network of a browser context its pass for the forward proxy, in the context's first
 * tab and before anybody uses it: the tab asks for a name of the proxy's own, is asked for
 * credentials, gets them from here, and shows them by itself from then on, in all that the context
 * sends. Without it everything is refused, which is the safe side. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tb_cdp_page;
struct tb_cdp_prime;
struct tb_pass;

/* 0 when the proxy has seen the pass, else a code and words. Once, later. */
typedef void tb_cdp_prime_fn(int code, const struct tb_err *err, void *user);

/* Page and pass outlive it. */
struct tb_cdp_prime *tb_cdp_prime_start(struct tb_cdp_page *page, const struct tb_pass *pass,
                                        int64_t deadline_ms, tb_cdp_prime_fn *fn, void *user);
/* What the browser tells of the tab. NULL is passed over. */
void tb_cdp_prime_on_event(struct tb_cdp_prime *prime, struct tb_str method, struct tb_str params);
/* NULL is passed over. */
void tb_cdp_prime_free(struct tb_cdp_prime *prime);
