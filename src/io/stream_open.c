/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/stream_internal.h"
#include "io/tls_conn.h"

static void on_connect(uv_connect_t *req, int status)
{
    struct tb_stream *stream = req->data;
    tb_free(req);
    if (stream->freed || !stream->connecting) {
        return;
    }
    if (status < 0 || !stream->tls) {
        tb_stream_connected(stream, status);
        return;
    }
    stream->connecting = false;
    stream->shaking = true;
    tb_stream_update_reading(stream);
    tb_stream_tls_pump(stream);
}

static void note_peer(struct tb_stream *stream)
{
    uv_os_fd_t fd;
    if (uv_fileno(&stream->uv.handle, &fd) < 0) {
        return;
    }
    if (stream->uv.handle.type == UV_NAMED_PIPE) {
        tb_peer_set_unix(&stream->peer, fd);
        return;
    }
    struct sockaddr_storage addr = {0};
    socklen_t len = sizeof(addr);
    getpeername(fd, (struct sockaddr *)&addr, &len);
    tb_peer_set_address(&stream->peer, &addr);
    uv_tcp_nodelay(&stream->uv.tcp, 1);
}

void tb_stream_connected(struct tb_stream *stream, int status)
{
    tb_stream_connect_fn *fn = stream->connect_fn;
    stream->connect_fn = NULL;
    stream->connecting = false;
    stream->shaking = false;
    if (status < 0) {
        tb_stream_fail(stream, status);
        stream->end_told = true; /* by the call below */
    } else {
        note_peer(stream);
        tb_stream_update_reading(stream);
        tb_loop_defer_output(stream->loop, &stream->out.flush);
    }
    if (stream->lingering) {
        tb_stream_linger_on(stream);
    } else {
        fn(stream, status, stream->connect_user);
    }
}

static void begin_connect(struct tb_stream *stream, tb_stream_connect_fn *fn, void *user)
{
    stream->connecting = true;
    stream->connect_fn = fn;
    stream->connect_user = user;
}

static void fail_later(struct tb_stream *stream, int code)
{
    tb_stream_fail(stream, code);
    tb_loop_defer(stream->loop, &stream->news);
}

static uv_connect_t *connect_req(struct tb_stream *stream)
{
    uv_connect_t *req = TB_NEW(uv_connect_t);
    req->data = stream;
    return req;
}

struct tb_stream *tb_stream_connect_tcp(struct tb_loop *loop, const char *address, uint16_t port,
                                        tb_stream_connect_fn *fn, void *user)
{
    struct tb_stream *stream = tb_stream_new_tcp(loop);
    begin_connect(stream, fn, user);
    struct sockaddr_storage addr = {0};
    if (uv_ip4_addr(address, port, (struct sockaddr_in *)&addr) < 0 &&
        uv_ip6_addr(address, port, (struct sockaddr_in6 *)&addr) < 0) {
        fail_later(stream, -EINVAL);
        return stream;
    }
    uv_connect_t *req = connect_req(stream);
    int rc = uv_tcp_connect(req, &stream->uv.tcp, (struct sockaddr *)&addr, on_connect);
    if (rc < 0) {
        tb_free(req);
        fail_later(stream, rc);
    }
    return stream;
}

struct tb_stream *tb_stream_connect_tls(struct tb_loop *loop, const char *address, uint16_t port,
                                        struct tb_tls *tls, const char *host,
                                        tb_stream_connect_fn *fn, void *user)
{
    struct tb_stream *stream = tb_stream_connect_tcp(loop, address, port, fn, user);
    stream->tls = tb_tls_conn_new(tls, host);
    if (!stream->tls) {
        fail_later(stream, -ENOMEM);
    }
    return stream;
}

struct tb_stream *tb_stream_connect_unix(struct tb_loop *loop, const char *path,
                                         tb_stream_connect_fn *fn, void *user)
{
    struct tb_stream *stream = tb_stream_new_pipe(loop);
    begin_connect(stream, fn, user);
    /* libuv would cut a longer path without a word. */
    if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path)) {
        fail_later(stream, -ENAMETOOLONG);
    } else {
        uv_pipe_connect(connect_req(stream), &stream->uv.pipe, path, on_connect);
    }
    return stream;
}

static int open_fd(struct tb_stream *stream, int fd)
{
    int rc = stream->uv.handle.type == UV_TCP ? uv_tcp_open(&stream->uv.tcp, fd)
                                              : uv_pipe_open(&stream->uv.pipe, fd);
    if (rc < 0) {
        close(fd);
        tb_stream_free(stream);
    }
    return rc;
}

struct tb_stream *tb_stream_open_fd_take(struct tb_loop *loop, int fd)
{
    uv_handle_type type = fd < 0 ? UV_UNKNOWN_HANDLE : uv_guess_handle(fd);
    if (type != UV_TCP && type != UV_NAMED_PIPE) {
        if (fd >= 0) {
            close(fd);
        }
        errno = fd < 0 ? EBADF : EINVAL;
        return NULL;
    }
    struct tb_stream *stream = type == UV_TCP ? tb_stream_new_tcp(loop) : tb_stream_new_pipe(loop);
    int rc = open_fd(stream, fd);
    if (rc < 0) {
        errno = -rc;
        return NULL;
    }
    if (type == UV_TCP) {
        note_peer(stream);
    }
    return stream;
}

struct tb_stream *tb_stream_accept_take(struct tb_loop *loop, int fd,
                                        const struct sockaddr_storage *addr)
{
    bool is_unix = addr->ss_family == AF_UNIX;
    struct tb_stream *stream = is_unix ? tb_stream_new_pipe(loop) : tb_stream_new_tcp(loop);
    if (open_fd(stream, fd) < 0) {
        return NULL;
    }
    if (is_unix) {
        tb_peer_set_unix(&stream->peer, fd);
    } else {
        tb_peer_set_address(&stream->peer, addr);
    }
    return stream;
}

void tb_stream_set_peer_timeout(struct tb_stream *stream, int64_t timeout_ms)
{
    enum {
        MS_A_SECOND = 1000,
        PROBES = 3, /* before the time is over */
    };
    uv_os_fd_t fd;
    if (stream->uv.handle.type != UV_TCP || uv_fileno(&stream->uv.handle, &fd) < 0) {
        return;
    }
    /* Probes are for a silent line; the other covers bytes that nobody acknowledges, during which
     * there are no probes. */
    int on = 1;
    int bytes_ms = (int)timeout_ms;
    int pause_s = bytes_ms / MS_A_SECOND / PROBES;
    pause_s = pause_s > 0 ? pause_s : 1;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &pause_s, sizeof(pause_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause_s, sizeof(pause_s));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &bytes_ms, sizeof(bytes_ms));
}
