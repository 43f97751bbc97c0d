/* SPDX-License-Identifier: Apache-2.0 */
#include "io/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/loop_internal.h"
#include "io/stream_internal.h"

/* The socket is our own and libuv only tells when it is readable: libuv's own accepting loops
 * without end when even its spare descriptor is gone. */

enum {
    ACCEPTS_A_TURN = 64,
    NO_DESCRIPTORS_PAUSE_MS = 100,
};

struct tb_listener {
    uv_poll_t uv;
    struct tb_loop *loop;
    struct tb_tls *tls;
    tb_listener_fn *fn;
    void *user;
    int fd;
    int spare; /* given up for a moment when descriptors run out */
    struct tb_timer pause;
    uint16_t port;
    char *path; /* Unix: the file, and which one it was when we made it */
    dev_t dev;
    ino_t ino;
    bool freed;
};

static void on_ready(uv_poll_t *uv, int status, int events);

static void open_spare(struct tb_listener *listener)
{
    listener->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Waiting peers are turned away, or each would wake the loop again at once. */
static void out_of_descriptors(struct tb_listener *listener)
{
    uv_poll_stop(&listener->uv);
    tb_timer_start(&listener->pause, NO_DESCRIPTORS_PAUSE_MS);
    if (listener->spare < 0) {
        open_spare(listener);
        return;
    }
    close(listener->spare);
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            break;
        }
        close(fd);
    }
    open_spare(listener);
}

static void on_pause_over(struct tb_timer *timer, void *user)
{
    (void)timer;
    struct tb_listener *listener = user;
    uv_poll_start(&listener->uv, UV_READABLE, on_ready);
}

static void hand_over(struct tb_listener *listener, int fd, const struct sockaddr_storage *addr)
{
    struct tb_stream *stream = tb_stream_accept_take(listener->loop, fd, addr);
    if (stream && listener->tls && tb_stream_start_tls(stream, listener->tls) < 0) {
        tb_stream_free(stream);
        stream = NULL;
    }
    if (stream) {
        listener->fn(stream, listener->user);
    }
}

static void on_ready(uv_poll_t *uv, int status, int events)
{
    (void)status;
    (void)events;
    struct tb_listener *listener = uv->data;
    for (int i = 0; i < ACCEPTS_A_TURN && !listener->freed; i++) {
        struct sockaddr_storage addr = {0};
        socklen_t len = sizeof(addr);
        int fd =
            accept4(listener->fd, (struct sockaddr *)&addr, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            hand_over(listener, fd, &addr);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            out_of_descriptors(listener);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
        /* Any other error belongs to one peer that has left already. */
    }
}

/* Takes a listening socket. */
static struct tb_listener *listener_new_take(struct tb_loop *loop, int fd, tb_listener_fn *fn,
                                             void *user)
{
    struct tb_listener *listener = TB_NEW(struct tb_listener);
    int rc = uv_poll_init(&loop->uv, &listener->uv, fd);
    if (rc < 0) {
        close(fd);
        tb_free(listener);
        errno = -rc;
        return NULL;
    }
    listener->uv.data = listener;
    listener->loop = loop;
    listener->fn = fn;
    listener->user = user;
    listener->fd = fd;
    open_spare(listener);
    tb_timer_init(&listener->pause, loop, on_pause_over, listener);
    uv_poll_start(&listener->uv, UV_READABLE, on_ready);
    loop->live++;
    return listener;
}

static int fail_listen(struct tb_err *err, int code, const char *where)
{
    switch (code) {
    case EADDRINUSE:
        return tb_fail(err, -code,
                       "%s is in use by another program; stop it or choose another with --listen",
                       where);
    case EACCES:
    case EPERM:
        return tb_fail(err, -code, "no permission to listen on %s; choose another with --listen",
                       where);
    case EADDRNOTAVAIL:
        return tb_fail(err, -code,
                       "cannot listen on %s: this machine does not have that address; choose "
                       "another with --listen",
                       where);
    default:
        return tb_fail(err, -code, "cannot listen on %s: %s", where, tb_err_name(code));
    }
}

static int listen_tcp(const struct sockaddr_storage *addr, socklen_t len, uint16_t *ret_port)
{
    int fd = socket(addr->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    /* Linux hands this down to each accepted socket. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    /* Room for both families, which have the port at the same place. */
    struct sockaddr_in6 bound = {0};
    socklen_t bound_len = sizeof(bound);
    if (bind(fd, (const struct sockaddr *)addr, len) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, (struct sockaddr *)&bound, &bound_len) < 0) {
        int code = errno;
        close(fd);
        return -code;
    }
    *ret_port = ntohs(bound.sin6_port);
    return fd;
}

struct tb_listener *tb_listener_new_tcp(struct tb_loop *loop, const char *address, uint16_t port,
                                        struct tb_tls *tls, tb_listener_fn *fn, void *user,
                                        struct tb_err *err)
{
    struct sockaddr_storage addr = {0};
    socklen_t len = sizeof(struct sockaddr_in);
    TB_AUTO(tb_free) char *where = tb_strdupf("%s:%u", address, port);
    if (uv_ip4_addr(address, port, (struct sockaddr_in *)&addr) < 0) {
        len = sizeof(struct sockaddr_in6);
        if (uv_ip6_addr(address, port, (struct sockaddr_in6 *)&addr) < 0) {
            tb_fail(err, -EINVAL, "'%s' is not an IP address; use one such as 127.0.0.1 or ::1",
                    address);
            return NULL;
        }
        tb_free(where);
        where = tb_strdupf("[%s]:%u", address, port);
    }
    int fd = listen_tcp(&addr, len, &port);
    if (fd < 0) {
        fail_listen(err, -fd, where);
        return NULL;
    }
    struct tb_listener *listener = listener_new_take(loop, fd, fn, user);
    if (!listener) {
        fail_listen(err, errno, where);
        return NULL;
    }
    listener->tls = tls;
    listener->port = port;
    return listener;
}

/* 0 when nothing is at the path any more. */
static int clear_path(const struct sockaddr_un *addr, struct tb_err *err)
{
    struct stat st;
    if (lstat(addr->sun_path, &st) < 0) {
        return 0;
    }
    if (!S_ISSOCK(st.st_mode)) {
        return tb_fail(err, -EEXIST,
                       "%s exists and is not a socket; remove it or choose another path",
                       addr->sun_path);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return fail_listen(err, errno, addr->sun_path);
    }
    int rc = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ? errno : 0;
    close(fd);
    /* Any other answer, such as a full queue, means that somebody may be there. */
    if (rc != ECONNREFUSED) {
        return fail_listen(err, rc == 0 || rc == EAGAIN ? EADDRINUSE : rc, addr->sun_path);
    }
    return unlink(addr->sun_path) < 0 ? fail_listen(err, errno, addr->sun_path) : 0;
}

static int listen_unix(const struct sockaddr_un *addr)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    /* The file inherits the mode of the socket, so at no time can others connect. */
    if (fchmod(fd, 0600) < 0 || bind(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ||
        listen(fd, SOMAXCONN) < 0) {
        int code = errno;
        close(fd);
        return -code;
    }
    return fd;
}

struct tb_listener *tb_listener_new_unix(struct tb_loop *loop, const char *path, tb_listener_fn *fn,
                                         void *user, struct tb_err *err)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(addr.sun_path)) {
        tb_fail(err, -ENAMETOOLONG, "the socket path %s must have 1 to %zu characters", path,
                sizeof(addr.sun_path) - 1);
        return NULL;
    }
    memcpy(addr.sun_path, path, len);
    if (clear_path(&addr, err) < 0) {
        return NULL;
    }
    int fd = listen_unix(&addr);
    struct tb_listener *listener = NULL;
    if (fd < 0) {
        errno = -fd;
    } else {
        listener = listener_new_take(loop, fd, fn, user);
    }
    if (!listener) {
        fail_listen(err, errno, path);
        return NULL;
    }
    struct stat st = {0};
    lstat(path, &st);
    listener->path = tb_strdup(path);
    listener->dev = st.st_dev;
    listener->ino = st.st_ino;
    return listener;
}

void tb_listener_free(struct tb_listener *listener)
{
    if (!listener) {
        return;
    }
    struct stat st;
    /* Somebody may have put another file there since. */
    if (listener->path && lstat(listener->path, &st) == 0 && st.st_dev == listener->dev &&
        st.st_ino == listener->ino) {
        unlink(listener->path);
    }
    tb_free(listener->path);
    tb_timer_fini(&listener->pause);
    listener->freed = true;
    listener->loop->live--;
    tb_handle_close((uv_handle_t *)&listener->uv);
    close(listener->fd);
    if (listener->spare >= 0) {
        close(listener->spare);
    }
}

uint16_t tb_listener_port(const struct tb_listener *listener)
{
    return listener->port;
}
