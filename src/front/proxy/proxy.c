/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/proxy.h"

#include "core/core.h"
#include "core/limits.h"
#include "front/proxy/conn.h"
#include "io/dns.h"

enum {
    UNKNOWN_MAX = 1024, /* connections beside those of sessions, which have shown no pass yet */
};

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct tb_proxy *proxy = TB_NEW(struct tb_proxy);
    (void)err;
    proxy->core = core;
    proxy->dns = tb_dns_new_system(core->loop);
    tb_list_init(&proxy->conns);
    tb_list_init(&proxy->dead);
    tb_refused_init(&proxy->refused, core, TB_EVENT_CREDENTIAL_REFUSED);
    *ret_state = proxy;
    return 0;
}

static void on_connection(void *state, struct tb_stream *stream)
{
    struct tb_proxy *proxy = state;
    size_t max = (size_t)proxy->core->config->proxy_connections_max + UNKNOWN_MAX;
    /* The door is on loopback; whoever forwards it to others forwards nothing. */
    if (!tb_stream_peer(stream)->local || proxy->count >= max) {
        tb_stream_free(stream);
        return;
    }
    tb_stream_set_peer_timeout(stream, TB_PEER_MS);
    tb_proxy_conn_new_take(proxy, stream);
}

/* Connections stay while sessions finish and end with these; what is left goes here. */
static void stop(void *state)
{
    struct tb_proxy *proxy = state;
    while (!tb_list_empty(&proxy->conns)) {
        tb_proxy_conn_end(TB_CONTAINER(proxy->conns.next, struct tb_proxy_conn, link));
    }
    while (!tb_list_empty(&proxy->dead)) {
        tb_proxy_conn_free(TB_CONTAINER(proxy->dead.next, struct tb_proxy_conn, link));
    }
    tb_refused_fini(&proxy->refused);
    tb_dns_free(proxy->dns);
    tb_free(proxy);
}

void tb_proxy_set_dns_take(void *state, struct tb_dns *dns)
{
    struct tb_proxy *proxy = state;
    tb_dns_free(proxy->dns);
    proxy->dns = dns;
}

const struct tb_front tb_front_proxy = {
    .name = "proxy",
    .start = start,
    .stop = stop,
    .accept = on_connection,
};
