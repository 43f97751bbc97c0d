/* SPDX-License-Identifier: Apache-2.0 */
#include "io/dns.h"

#include <errno.h>
#include <string.h>

#include <netdb.h>

#include "io/loop_internal.h"

struct system_dns {
    struct tb_dns dns;
    struct tb_loop *loop;
};

/* A worker cannot be called back from getaddrinfo: a query that its owner has left stays until the
 * system answers, and is told to nobody. */
struct tb_dns_query {
    uv_getaddrinfo_t uv;
    struct tb_loop *loop;
    struct tb_timer timer;
    struct tb_deferred failed; /* it could not be asked at all */
    tb_dns_fn *fn;             /* NULL: it has ended, or was cancelled */
    void *user;
    int code;
};

static bool is_known(const struct sockaddr_storage *found, size_t count,
                     const struct sockaddr_storage *address)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&found[i], address, sizeof(*address)) == 0) {
            return true;
        }
    }
    return false;
}

static size_t collect(const struct addrinfo *list, struct sockaddr_storage *ret_found)
{
    size_t count = 0;
    for (const struct addrinfo *info = list; info && count < TB_DNS_ADDRESSES;
         info = info->ai_next) {
        struct sockaddr_storage address = {0};
        bool is_usable = info->ai_family == AF_INET || info->ai_family == AF_INET6;
        if (is_usable && info->ai_addrlen <= sizeof(address)) {
            memcpy(&address, info->ai_addr, info->ai_addrlen);
            if (!is_known(ret_found, count, &address)) {
                ret_found[count++] = address;
            }
        }
    }
    return count;
}

/* Whoever asked is told, once, and may forget the query. */
static void tell(struct tb_dns_query *query, int status, const struct sockaddr_storage *addresses,
                 size_t count)
{
    tb_dns_fn *fn = query->fn;
    query->fn = NULL;
    query->loop->live--;
    tb_timer_fini(&query->timer);
    fn(status, addresses, count, query->user);
}

static void on_answer(uv_getaddrinfo_t *uv, int status, struct addrinfo *list)
{
    struct tb_dns_query *query = uv->data;
    struct sockaddr_storage found[TB_DNS_ADDRESSES];
    if (query->fn) {
        size_t count = status < 0 ? 0 : collect(list, found);
        tell(query, status < 0 ? status : count ? 0 : -ENOENT, found, count);
    } else {
        query->loop->closing--;
    }
    uv_freeaddrinfo(list);
    tb_free(query);
}

static void on_failed(struct tb_deferred *job)
{
    struct tb_dns_query *query = TB_CONTAINER(job, struct tb_dns_query, failed);
    tell(query, query->code, NULL, 0);
    tb_free(query);
}

/* The loop waits for it before it goes. */
static void abandon(struct tb_dns_query *query)
{
    query->loop->closing++;
    uv_cancel((uv_req_t *)&query->uv); /* if no worker has it yet */
}

static void on_late(struct tb_timer *timer, void *user)
{
    struct tb_dns_query *query = user;
    (void)timer;
    abandon(query);
    tell(query, -ETIMEDOUT, NULL, 0);
}

static struct tb_dns_query *ask(struct tb_dns *dns, const char *name, int64_t timeout_ms,
                                tb_dns_fn *fn, void *user)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct tb_loop *loop = TB_CONTAINER(dns, struct system_dns, dns)->loop;
    struct tb_dns_query *query = TB_NEW(struct tb_dns_query);
    query->uv.data = query;
    query->loop = loop;
    query->fn = fn;
    query->user = user;
    query->failed.run = on_failed;
    tb_list_init(&query->failed.link);
    tb_timer_init(&query->timer, loop, on_late, query);
    loop->live++;
    query->code = uv_getaddrinfo(&loop->uv, &query->uv, on_answer, name, NULL, &hints);
    if (query->code < 0) {
        tb_loop_defer(loop, &query->failed);
    } else {
        tb_timer_start(&query->timer, timeout_ms);
    }
    return query;
}

static void cancel(struct tb_dns_query *query)
{
    query->fn = NULL;
    query->loop->live--;
    tb_timer_fini(&query->timer);
    if (query->code < 0) {
        tb_deferred_cancel(&query->failed);
        tb_free(query);
    } else {
        abandon(query);
    }
}

static void system_free(struct tb_dns *dns)
{
    tb_free(TB_CONTAINER(dns, struct system_dns, dns));
}

struct tb_dns *tb_dns_new_system(struct tb_loop *loop)
{
    struct system_dns *system = TB_NEW(struct system_dns);
    system->dns = (struct tb_dns){ask, cancel, system_free};
    system->loop = loop;
    return &system->dns;
}

void tb_dns_free(struct tb_dns *dns)
{
    if (dns) {
        dns->free(dns);
    }
}

struct tb_dns_query *tb_dns_ask(struct tb_dns *dns, const char *name, int64_t timeout_ms,
                                tb_dns_fn *fn, void *user)
{
    return dns->ask(dns, name, timeout_ms, fn, user);
}

void tb_dns_cancel(struct tb_dns *dns, struct tb_dns_query *query)
{
    if (query) {
        dns->cancel(query);
    }
}
