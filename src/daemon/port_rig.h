/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: somebody else who listens on a port of loopback, as a process of its own. */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PORT_RIG_NOBODY = 65534
};

static inline int port_rig_listen(uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

/* In the child: gives each request the same words. */
static inline void port_rig_answer(int fd, const char *words)
{
    char request[256];
    for (;;) {
        int peer = accept(fd, NULL, NULL);
        if (peer < 0 || read(peer, request, sizeof(request)) < 0 ||
            write(peer, words, strlen(words)) < 0) {
            _exit(1);
        }
        close(peer);
    }
}

/* As this user, which only root may choose. It answers until port_rig_end. */
static inline pid_t port_rig_start(uid_t uid, const char *words, uint16_t *ret_port)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        uint16_t port = 0;
        int fd = uid == geteuid() || setuid(uid) == 0 ? port_rig_listen(&port) : -1;
        if (fd < 0 || write(told[1], &port, sizeof(port)) < 0) {
            _exit(1);
        }
        port_rig_answer(fd, words);
    }
    close(told[1]);
    assert_int_equal(read(told[0], ret_port, sizeof(*ret_port)), sizeof(*ret_port));
    close(told[0]);
    return child;
}

static inline void port_rig_end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
