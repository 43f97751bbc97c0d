/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/tunnel.h"

#include "core/limits.h"

static struct tb_tunnel_side *other(struct tb_tunnel_side *side)
{
    struct tb_tunnel *tunnel = side->tunnel;
    return side == &tunnel->client ? &tunnel->server : &tunnel->client;
}

/* False: the tunnel has ended. */
static bool may_pass(struct tb_tunnel *tunnel, struct tb_str bytes)
{
    bool first = !tunnel->begun;
    tunnel->begun = true;
    return !first || !tunnel->may_begin || tunnel->may_begin(tunnel, bytes);
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct tb_tunnel_side *side = user;
    struct tb_tunnel *tunnel = side->tunnel;
    struct tb_stream *to = other(side)->stream;
    bool from_client = side == &tunnel->client;
    if (from_client && !may_pass(tunnel, bytes)) {
        return;
    }
    tunnel->moved_ms = tb_loop_now_ms(tb_stream_loop(stream));
    tunnel->count(tunnel, from_client ? 0 : bytes.len, from_client ? bytes.len : 0);
    if (tb_stream_write(to, bytes) < 0) {
        tunnel->over(tunnel);
        return;
    }
    if (tb_stream_queued(to) > TB_PROXY_QUEUE_MAX) {
        tb_stream_pause(stream);
        tb_stream_want_drain(to);
    }
}

static void on_drain(struct tb_stream *stream, void *user)
{
    struct tb_tunnel_side *side = user;
    side->tunnel->moved_ms = tb_loop_now_ms(tb_stream_loop(stream));
    tb_stream_resume(other(side)->stream);
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    struct tb_tunnel_side *side = user;
    struct tb_tunnel *tunnel = side->tunnel;
    (void)stream;
    side->ended = true;
    if (status < 0 || other(side)->ended) {
        tunnel->complete = status == 0;
        tunnel->over(tunnel);
    } else {
        tb_stream_finish(other(side)->stream);
        tb_timer_start(&tunnel->idle, TB_PROXY_HALF_MS);
    }
}

/* Of two sides one of which has ended, nobody knows whether it still listens. */
static int64_t idle_ms(const struct tb_tunnel *tunnel)
{
    return tunnel->client.ended || tunnel->server.ended ? TB_PROXY_HALF_MS : TB_PROXY_IDLE_MS;
}

static void on_idle(struct tb_timer *timer, void *user)
{
    struct tb_tunnel *tunnel = user;
    int64_t left_ms = tunnel->moved_ms + idle_ms(tunnel) - tb_loop_now_ms(timer->loop);
    if (left_ms > 0) {
        tb_timer_start(timer, left_ms);
    } else {
        tunnel->over(tunnel);
    }
}

void tb_tunnel_begin_take(struct tb_tunnel *tunnel, struct tb_stream *client,
                          struct tb_stream *server, struct tb_str early)
{
    static const struct tb_stream_ops ops = {on_read, on_drain, on_end};
    struct tb_loop *loop = tb_stream_loop(client);
    tunnel->client = (struct tb_tunnel_side){tunnel, client, false};
    tunnel->server = (struct tb_tunnel_side){tunnel, server, false};
    tunnel->moved_ms = tb_loop_now_ms(loop);
    tb_timer_init(&tunnel->idle, loop, on_idle, tunnel);
    tb_timer_start(&tunnel->idle, TB_PROXY_IDLE_MS);
    tb_stream_start(client, &ops, &tunnel->client);
    tb_stream_start(server, &ops, &tunnel->server);
    if (early.len) {
        on_read(client, early, &tunnel->client);
    }
}

/* Where both have said all that they had to say, the last of it may still be on its way. */
static void end_side(const struct tb_tunnel *tunnel, struct tb_tunnel_side *side)
{
    if (tunnel->complete) {
        tb_stream_finish_and_free(side->stream, TB_HTTP_WRITE_MS);
    } else {
        tb_stream_free(side->stream);
    }
    side->stream = NULL;
}

void tb_tunnel_end(struct tb_tunnel *tunnel)
{
    tb_timer_fini(&tunnel->idle);
    end_side(tunnel, &tunnel->client);
    end_side(tunnel, &tunnel->server);
}
