/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/reach.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "front/proxy/handshake.h"
#include "io/timer.h"

struct attempt {
    struct tb_reach *reach;
    struct tb_stream *stream; /* NULL: not begun, or failed */
};

struct tb_reach {
    struct tb_loop *loop;
    struct tb_dns *dns;
    const struct tb_egress *egress;
    const struct tb_upstream *upstream; /* NULL: straight to the goal */
    struct tb_egress_goal goal;
    struct tb_egress_goal next; /* what is looked up and connected to: the goal, or the upstream */
    tb_reach_fn *fn;
    void *user;
    bool checking; /* the goal is looked up only to judge its addresses */
    struct tb_dns_query *query;
    struct tb_ip addresses[TB_DNS_ADDRESSES];
    struct attempt attempts[TB_DNS_ADDRESSES];
    size_t count;
    size_t begun;
    size_t failed;
    int last_failure;
    struct tb_ip address; /* that answered */
    struct tb_stream *stream;
    struct tb_handshake *handshake;
    struct tb_timer late; /* all of it */
    struct tb_timer slow; /* the next address is tried beside the one before */
    struct tb_deferred job;
};

static void reach_free(struct tb_reach *reach)
{
    tb_dns_cancel(reach->dns, reach->query);
    tb_handshake_free(reach->handshake);
    tb_stream_free(reach->stream);
    for (size_t i = 0; i < reach->begun; i++) {
        tb_stream_free(reach->attempts[i].stream);
    }
    tb_timer_fini(&reach->late);
    tb_timer_fini(&reach->slow);
    tb_deferred_cancel(&reach->job);
    tb_free(reach);
}

void tb_reach_cancel(struct tb_reach *reach)
{
    if (reach) {
        reach_free(reach);
    }
}

static void fail(struct tb_reach *reach, const struct tb_err *err)
{
    tb_reach_fn *fn = reach->fn;
    void *user = reach->user;
    struct tb_err words = *err;
    reach_free(reach);
    fn(words.code, NULL, NULL, &words, user);
}

static void succeed(struct tb_reach *reach)
{
    tb_reach_fn *fn = reach->fn;
    void *user = reach->user;
    struct tb_stream *stream = reach->stream;
    struct tb_ip address = reach->address;
    bool is_direct = !reach->upstream;
    reach->stream = NULL;
    reach_free(reach);
    fn(0, stream, is_direct ? &address : NULL, NULL, user);
}

/* For pages: where the operator's proxy is, is none of their business. */
static const char *next_name(const struct tb_reach *reach)
{
    bool is_upstream = reach->upstream && !reach->checking;
    return is_upstream ? "the upstream proxy" : reach->next.host.name;
}

static void on_late(struct tb_timer *timer, void *user)
{
    struct tb_reach *reach = user;
    struct tb_err err;
    (void)timer;
    tb_fail(&err, TB_E_TIMEOUT, "%s did not answer in time", next_name(reach));
    fail(reach, &err);
}

/* Through somebody else's proxy. */

static void on_greeted(int code, const struct tb_err *err, void *user)
{
    struct tb_reach *reach = user;
    if (code < 0) {
        fail(reach, err);
    } else {
        succeed(reach);
    }
}

/* Connecting. */

static void try_next(struct tb_reach *reach);

static void on_connected(struct tb_stream *stream, int status, void *user)
{
    struct attempt *attempt = user;
    struct tb_reach *reach = attempt->reach;
    if (status < 0) {
        tb_stream_free(stream);
        attempt->stream = NULL;
        reach->failed++;
        reach->last_failure = status;
        try_next(reach);
        return;
    }
    attempt->stream = NULL;
    reach->stream = stream;
    reach->address = reach->addresses[attempt - reach->attempts];
    for (size_t i = 0; i < reach->begun; i++) { /* the others have lost */
        tb_stream_free(reach->attempts[i].stream);
        reach->attempts[i].stream = NULL;
    }
    tb_timer_stop(&reach->slow);
    if (reach->upstream && !tb_egress_passes_on(reach->egress, &reach->goal)) {
        reach->handshake =
            tb_handshake_start(stream, reach->upstream, &reach->goal, on_greeted, reach);
    } else {
        succeed(reach);
    }
}

static void on_slow(struct tb_timer *timer, void *user)
{
    (void)timer;
    try_next(user);
}

static void try_next(struct tb_reach *reach)
{
    struct tb_err err;
    if (reach->begun == reach->count) {
        if (reach->failed == reach->count) {
            tb_fail(&err, TB_E_NAVIGATION, "%s cannot be reached: %s", next_name(reach),
                    strerror(-reach->last_failure));
            fail(reach, &err);
        }
        return;
    }
    struct attempt *attempt = &reach->attempts[reach->begun];
    char text[TB_IP_TEXT_SIZE];
    tb_ip_print(&reach->addresses[reach->begun], text);
    reach->begun++;
    attempt->reach = reach;
    attempt->stream =
        tb_stream_connect_tcp(reach->loop, text, reach->next.port, on_connected, attempt);
    if (reach->begun < reach->count) {
        tb_timer_start(&reach->slow, TB_PROXY_NEXT_MS);
    }
}

/* Looking up. */

static void look_up(struct tb_reach *reach);

/* The operator's own proxy is wherever the operator says; one that a caller chose may not be what
 * its pages could not reach. */
static int judge(const struct tb_reach *reach, const struct tb_ip *address, struct tb_err *err)
{
    bool is_upstream = reach->upstream && !reach->checking;
    if (is_upstream && reach->upstream->trusted) {
        return 0;
    }
    int rc = is_upstream ? tb_egress_judge(reach->egress, &reach->next, err) : 0;
    return rc < 0 ? rc : tb_egress_judge_address(reach->egress, &reach->next, address, err);
}

/* Keeps the addresses that may be used. Where somebody else looks the name up again, all of them
 * must be. */
static int sift(struct tb_reach *reach, const struct tb_ip *addresses, size_t count,
                struct tb_err *err)
{
    int rc = 0;
    reach->count = 0;
    for (size_t i = 0; i < count; i++) {
        int verdict = judge(reach, &addresses[i], err);
        if (verdict == 0) {
            reach->addresses[reach->count++] = addresses[i];
        } else {
            rc = verdict;
        }
    }
    return reach->count && (rc == 0 || !reach->checking) ? 0 : rc;
}

static void go_on(struct tb_reach *reach, const struct tb_ip *addresses, size_t count)
{
    struct tb_err err;
    if (sift(reach, addresses, count, &err) < 0) {
        fail(reach, &err);
    } else if (reach->checking) {
        reach->checking = false;
        reach->next.host = reach->upstream->host;
        reach->next.port = reach->upstream->port;
        look_up(reach);
    } else {
        try_next(reach);
    }
}

static void on_found(int status, const struct sockaddr_storage *found, size_t count, void *user)
{
    struct tb_reach *reach = user;
    struct tb_ip addresses[TB_DNS_ADDRESSES];
    struct tb_err err;
    size_t usable = 0;
    reach->query = NULL;
    for (size_t i = 0; status == 0 && i < count && i < TB_DNS_ADDRESSES; i++) {
        usable += tb_ip_from_sockaddr((const struct sockaddr *)&found[i], &addresses[usable]);
    }
    if (!usable) {
        tb_fail(&err, TB_E_NAVIGATION, "%s%s cannot be resolved",
                reach->upstream && !reach->checking ? "" : "the name ", next_name(reach));
        fail(reach, &err);
        return;
    }
    go_on(reach, addresses, usable);
}

static void run_known(struct tb_deferred *job)
{
    struct tb_reach *reach = TB_CONTAINER(job, struct tb_reach, job);
    const struct tb_ip address = reach->next.host.ip;
    go_on(reach, &address, 1);
}

static void look_up(struct tb_reach *reach)
{
    if (reach->next.host.is_ip) {
        tb_loop_defer(reach->loop, &reach->job);
    } else {
        reach->query =
            tb_dns_ask(reach->dns, reach->next.host.name, TB_PROXY_LOOKUP_MS, on_found, reach);
    }
}

struct tb_reach *tb_reach_start(const struct tb_reach_spec *spec)
{
    struct tb_reach *reach = TB_NEW(struct tb_reach);
    reach->loop = spec->loop;
    reach->dns = spec->dns;
    reach->egress = spec->egress;
    reach->upstream = tb_egress_upstream(spec->egress);
    reach->goal = *spec->goal;
    reach->next = *spec->goal;
    reach->fn = spec->fn;
    reach->user = spec->user;
    reach->job.run = run_known;
    tb_list_init(&reach->job.link);
    tb_timer_init(&reach->late, reach->loop, on_late, reach);
    tb_timer_init(&reach->slow, reach->loop, on_slow, reach);
    tb_timer_start(&reach->late, TB_PROXY_CONNECT_MS);
    if (reach->upstream) {
        reach->checking = tb_egress_needs_address(spec->egress, spec->goal);
        if (!reach->checking) {
            reach->next.host = reach->upstream->host;
            reach->next.port = reach->upstream->port;
        }
    }
    look_up(reach);
    return reach;
}
