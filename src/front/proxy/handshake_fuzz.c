/* SPDX-License-Identifier: Apache-2.0 */
/* An upstream proxy that answers anything, in pieces of any size: the handshake ends once, or waits
 * for more. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "front/proxy/handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TURNS = 6,
    SIZE_MAX_FED = 4096,
};

struct scene {
    struct tb_handshake *handshake;
    int ends;
};

static void on_end(int code, const struct tb_err *err, void *user)
{
    struct scene *scene = user;
    if (++scene->ends > 1 || (code < 0 && !err->text[0])) {
        abort();
    }
}

static void feed(struct tb_loop *loop, struct scene *scene, int fd, struct tb_str bytes,
                 size_t piece)
{
    while (bytes.len && !scene->ends) {
        size_t len = bytes.len < piece ? bytes.len : piece;
        if (write(fd, bytes.ptr, len) < 0) {
            return;
        }
        bytes = tb_str_sub(bytes, len, bytes.len);
        for (int i = 0; i < TURNS; i++) {
            tb_loop_turn(loop, false);
        }
    }
}

/* The first byte chooses the kind, the second how long the pieces are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fds[2];
    if (size < 2 || size > SIZE_MAX_FED ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0) {
        return 0;
    }
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct tb_upstream upstream = {.kind = data[0] & 1 ? TB_UPSTREAM_SOCKS5 : TB_UPSTREAM_HTTP,
                                   .port = 1080,
                                   .user = "u",
                                   .password = "p"};
    struct tb_egress_goal goal = {.schemes = TB_SCHEME_HTTP, .port = 443};
    struct scene scene = {0};
    tb_host_read(data[0] & 2 ? TB_STR("[2001:db8::1]") : TB_STR("far.example"), &goal.host, NULL);
    upstream.user[0] = data[0] & 4 ? '\0' : 'u';
    struct tb_stream *stream = tb_stream_open_fd_take(loop, fds[0]);
    scene.handshake = tb_handshake_start(stream, &upstream, &goal, on_end, &scene);
    feed(loop, &scene, fds[1], (struct tb_str){(const char *)data + 2, size - 2},
         (size_t)data[1] + 1);
    tb_handshake_free(scene.handshake);
    tb_stream_free(stream);
    tb_loop_turn(loop, false);
    close(fds[1]);
    return 0;
}
