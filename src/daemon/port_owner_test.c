/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/port_owner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int listen_any(uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static void the_owner_of_a_port_is_found(void **state)
{
    uint16_t port;
    uid_t uid = 12345;
    (void)state;
    int fd = listen_any(&port);
    assert_true(tb_port_owner(port, &uid));
    assert_int_equal(uid, geteuid());
    close(fd);
    assert_false(tb_port_owner(port, &uid));
}

static void another_user_is_found_too(void **state)
{
    enum {
        NOBODY = 65534
    };
    int ports[2];
    uint16_t port = 0;
    uid_t uid = 0;
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(pipe(ports), 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(setuid(NOBODY) < 0 || listen_any(&port) < 0 ||
              write(ports[1], &port, sizeof(port)) < 0 || pause() < 0);
    }
    assert_int_equal(read(ports[0], &port, sizeof(port)), sizeof(port));
    assert_true(tb_port_owner(port, &uid));
    assert_int_equal(uid, NOBODY);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ports[0]);
    close(ports[1]);
}

/* Answers one request with these words, in a process of its own. */
static pid_t answer_once(const char *words, uint16_t *ret_port)
{
    int fd = listen_any(ret_port);
    pid_t child = fork();
    if (child == 0) {
        char request[256];
        int peer = accept(fd, NULL, NULL);
        _exit(peer < 0 || read(peer, request, sizeof(request)) < 0 ||
              write(peer, words, strlen(words)) < 0);
    }
    close(fd);
    return child;
}

static void a_tabard_is_known_by_its_greeting(void **state)
{
    static const struct {
        const char *words;
        bool ours;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\n\r\ntabard is running. MCP is at /mcp and needs a token.\n", true},
        {"HTTP/1.1 200 OK\r\n\r\n{\"status\":\"ok\",\"version\":\"1\"}", false},
        {"", false},
    };
    uint16_t port;
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pid_t child = answer_once(rows[i].words, &port);
        assert_int_equal(tb_port_is_tabard("127.0.0.1", port), rows[i].ours);
        waitpid(child, NULL, 0);
    }
    assert_false(tb_port_is_tabard("127.0.0.1", port)); /* nobody is there */
    int silent = listen_any(&port);
    assert_false(tb_port_is_tabard("127.0.0.1", port)); /* nobody answers */
    close(silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_owner_of_a_port_is_found),
        cmocka_unit_test(another_user_is_found_too),
        cmocka_unit_test(a_tabard_is_known_by_its_greeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
