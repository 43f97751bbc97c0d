/* SPDX-License-Identifier: Apache-2.0 */
/* Names to addresses, asked of the system's resolver on a worker thread.
 *
 * Who needs another resolver (tests, whose answers change) fills in a table of its own: a resolver
 * is a struct tb_dns with two functions. A query calls back exactly once, later, unless it is
 * cancelled; then never. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "io/loop.h"

enum {
    TB_DNS_ADDRESSES = 16, /* of one name; further ones are passed over */
};

struct tb_dns;
struct tb_dns_query;

/* `status` 0 and at least one address, without a port and each once, in the order of preference; or
 * a negative code. Borrowed for the call. */
typedef void tb_dns_fn(int status, const struct sockaddr_storage *addresses, size_t count,
                       void *user);

struct tb_dns {
    struct tb_dns_query *(*ask)(struct tb_dns *dns, const char *name, int64_t timeout_ms,
                                tb_dns_fn *fn, void *user);
    void (*cancel)(struct tb_dns_query *query);
    void (*free)(struct tb_dns *dns);
};

/* The system's: files and servers as the machine is set up. */
struct tb_dns *tb_dns_new_system(struct tb_loop *loop);
/* Queries must have ended or been cancelled before. */
void tb_dns_free(struct tb_dns *dns);
TB_DEFINE_AUTO(struct tb_dns *, tb_dns_free)

/* Never fails at once. The handle is valid until the callback begins. -ETIMEDOUT when no answer
 * comes in time. */
struct tb_dns_query *tb_dns_ask(struct tb_dns *dns, const char *name, int64_t timeout_ms,
                                tb_dns_fn *fn, void *user);
/* NULL is passed over. */
void tb_dns_cancel(struct tb_dns *dns, struct tb_dns_query *query);
