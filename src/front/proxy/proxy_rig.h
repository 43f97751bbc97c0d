/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: the proxy behind a real listener, a server behind another, sessions of the fake driver
 * whose passes the test shows, and a resolver whose answers change from question to question. Time
 * is moved by hand. */
#pragma once

#include "base/hash.h"
#include "core/egress.h"
#include "core/session_internal.h"
#include "front/proxy/conn.h"
#include "front/proxy/dns_rig.h"
#include "front/proxy/proxy.h"
#include "io/client_rig.h"
#include "io/listener.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    PROXY_RIG_PEERS = 16,
};

struct proxy_rig {
    struct rig *rig;
    void *state; /* of the front */
    struct tb_listener *listener;
    struct tb_listener *server;
    struct rig_client peers[PROXY_RIG_PEERS]; /* who came to the server */
    size_t peer_count;
    struct proxy_rig_dns dns;
    uint16_t port; /* of the server */
    struct rig_client client;
};

static inline struct tb_loop *proxy_rig_loop(const struct proxy_rig *p)
{
    return p->rig->core.loop;
}

static inline void proxy_rig_on_proxy(struct tb_stream *stream, void *user)
{
    tb_front_proxy.accept(((struct proxy_rig *)user)->state, stream);
}

static inline void proxy_rig_on_server(struct tb_stream *stream, void *user)
{
    struct proxy_rig *p = user;
    assert_true(p->peer_count < PROXY_RIG_PEERS);
    struct rig_client *peer = &p->peers[p->peer_count++];
    *peer = (struct rig_client){.stream = stream, .connected = true};
    tb_buf_init(&peer->got, 64 << 20);
    tb_stream_set_send_max(stream, 64 << 20);
    tb_stream_start(stream, &rig_client_ops, peer);
}

static inline int proxy_rig_setup(void **state)
{
    struct proxy_rig *p = TB_NEW(struct proxy_rig);
    struct tb_err err;
    char address[32];
    void *rig;
    rig_setup(&rig);
    p->rig = rig;
    assert_int_equal(tb_front_proxy.start(&p->rig->core, &p->state, &err), 0);
    p->dns = (struct proxy_rig_dns){
        .dns = {proxy_rig_ask, proxy_rig_cancel, proxy_rig_dns_free},
        .loop = proxy_rig_loop(p),
        .answers = {"127.0.0.1"},
    };
    tb_proxy_set_dns_take(p->state, &p->dns.dns);
    p->listener =
        tb_listener_new_tcp(proxy_rig_loop(p), "127.0.0.1", 0, NULL, proxy_rig_on_proxy, p, &err);
    p->server =
        tb_listener_new_tcp(proxy_rig_loop(p), "127.0.0.1", 0, NULL, proxy_rig_on_server, p, &err);
    p->port = tb_listener_port(p->server);
    snprintf(address, sizeof(address), "127.0.0.1:%u", tb_listener_port(p->listener));
    tb_egresses_own_port(p->rig->core.egresses, tb_listener_port(p->listener));
    tb_egresses_set_proxy(p->rig->core.egresses, address);
    *state = p;
    return 0;
}

static inline int proxy_rig_teardown(void **state)
{
    struct proxy_rig *p = *state;
    for (size_t i = 0; i < p->peer_count; i++) {
        rig_client_close(&p->peers[i]);
    }
    rig_client_close(&p->client);
    tb_listener_free(p->listener);
    tb_listener_free(p->server);
    tb_front_proxy.stop(p->state);
    void *rig = p->rig;
    rig_teardown(&rig);
    tb_free(p);
    return 0;
}

/* A session that was started with these arguments. */
static inline struct tb_session *proxy_rig_session(struct proxy_rig *p, const char *name,
                                                   const char *args)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(args));
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = ""};
    const struct tb_session_spec spec = {
        .kind = TB_KIND_BROWSER,
        .name = tb_str_of(name),
        .driver = &tb_driver_fake,
        .driver_state = p->rig->fake,
        .args = json,
        .deadline_ms = tb_loop_now_ms(proxy_rig_loop(p)) + 30000,
    };
    struct tb_session *session = NULL;
    const char *warning;
    struct tb_err err = {0};
    assert_non_null(json);
    assert_int_equal(
        tb_sessions_create(p->rig->core.sessions, &caller, &spec, &session, &warning, &err), 0);
    rig_turn(p->rig);
    return session;
}

/* The header with the pass of a session, as its browser shows it. */
static inline char *proxy_rig_pass(const struct tb_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(4096);
    TB_AUTO(tb_buf_fini) struct tb_buf header = TB_BUF(4096);
    char plain[256];
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    session->driver->describe(session->driver_session, &json);
    TB_AUTO(tb_json_free) struct cJSON *data = tb_json_parse(tb_buf_str(&text));
    snprintf(plain, sizeof(plain), "%.*s:%.*s", TB_STR_ARG(tb_json_text(data, "user")),
             TB_STR_ARG(tb_json_text(data, "secret")));
    tb_buf_append_cstr(&header, "Proxy-Authorization: Basic ");
    tb_base64_encode(plain, strlen(plain), &header);
    tb_buf_append_cstr(&header, "\r\n");
    return tb_str_dup(tb_buf_str(&header));
}

/* Opens a new connection to the proxy. */
static inline void proxy_rig_connect(struct proxy_rig *p)
{
    rig_client_close(&p->client);
    rig_client_connect(proxy_rig_loop(p), tb_listener_port(p->listener), &p->client);
}

/* "METHOD target" as a request, with the Host that belongs to it. The caller frees. */
static inline char *proxy_rig_request(const char *line, const char *pass, const char *headers)
{
    const char *mark = strstr(line, "://");
    const char *host = mark ? mark + 3 : strchr(line, ' ') + 1;
    int len = (int)strcspn(host, "/");
    return tb_strdupf("%s HTTP/1.1\r\nHost: %.*s\r\n%s%s\r\n", line, len ? len : 1,
                      len ? host : "x", pass, headers);
}

/* Sends it on a connection of its own. */
static inline void proxy_rig_send(struct proxy_rig *p, const char *line, const char *pass,
                                  const char *headers)
{
    TB_AUTO(tb_free) char *text = proxy_rig_request(line, pass, headers);
    proxy_rig_connect(p);
    rig_send(&p->client, text);
}

/* Until the browser has heard this. */
#define PROXY_RIG_HEARS(p, text) RIG_UNTIL(proxy_rig_loop(p), rig_got(&(p)->client, (text)))
/* Until the server has. */
#define PROXY_RIG_SERVER(p, at, text) \
    RIG_UNTIL(proxy_rig_loop(p), (p)->peer_count > (at) && rig_got(&(p)->peers[at], (text)))
