/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a resolver whose answers change from question to question, or never come. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "io/dns.h"

enum {
    PROXY_RIG_ANSWERS = 4,
};

struct proxy_rig_dns {
    struct tb_dns dns;
    struct tb_loop *loop;
    const char *answers[PROXY_RIG_ANSWERS]; /* addresses between commas; the last one stays */
    size_t asked;
    bool dead; /* it never answers */
    char name[256];
};

struct tb_dns_query {
    struct tb_deferred job;
    struct proxy_rig_dns *dns;
    const char *answer;
    tb_dns_fn *fn;
    void *user;
};

static inline void proxy_rig_answer(struct tb_deferred *job)
{
    struct tb_dns_query *query = TB_CONTAINER(job, struct tb_dns_query, job);
    struct sockaddr_storage found[TB_DNS_ADDRESSES] = {0};
    struct tb_str rest = tb_str_of(query->answer);
    size_t count = 0;
    while (rest.len) {
        TB_AUTO(tb_free) char *text = tb_str_dup(tb_str_cut(&rest, ','));
        struct sockaddr_in *v4 = (struct sockaddr_in *)&found[count];
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&found[count];
        if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
            v4->sin_family = AF_INET;
        } else {
            assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
            v6->sin6_family = AF_INET6;
        }
        count++;
    }
    tb_dns_fn *fn = query->fn;
    void *user = query->user;
    tb_free(query);
    fn(count ? 0 : -ENOENT, found, count, user);
}

static inline struct tb_dns_query *proxy_rig_ask(struct tb_dns *dns, const char *name,
                                                 int64_t timeout_ms, tb_dns_fn *fn, void *user)
{
    struct proxy_rig_dns *own = TB_CONTAINER(dns, struct proxy_rig_dns, dns);
    struct tb_dns_query *query = TB_NEW(struct tb_dns_query);
    size_t at = own->asked;
    (void)timeout_ms;
    while (at > 0 && (at >= PROXY_RIG_ANSWERS || !own->answers[at])) {
        at--;
    }
    own->asked++;
    snprintf(own->name, sizeof(own->name), "%s", name);
    *query = (struct tb_dns_query){.dns = own, .answer = own->answers[at], .fn = fn, .user = user};
    query->job.run = proxy_rig_answer;
    tb_list_init(&query->job.link);
    if (!own->dead) {
        tb_loop_defer(own->loop, &query->job);
    }
    return query;
}

static inline void proxy_rig_cancel(struct tb_dns_query *query)
{
    tb_deferred_cancel(&query->job);
    tb_free(query);
}

static inline void proxy_rig_dns_free(struct tb_dns *dns)
{
    (void)dns;
}
