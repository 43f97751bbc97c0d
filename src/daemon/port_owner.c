/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/port_owner.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <netdb.h>

enum {
    STATE_LISTEN = 0x0a, /* TCP_LISTEN, as the table has it */
    ASK_US = 250 * 1000, /* to be heard, and again to be answered */
    ANSWER_MAX = 2048,
};

/* "0: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 ..." */
static bool read_row(const char *row, uint16_t port, uid_t *ret_uid)
{
    unsigned seen_port;
    unsigned state;
    unsigned uid;
    if (sscanf(row, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %u",
               &seen_port, &state, &uid) != 3 ||
        seen_port != port || state != STATE_LISTEN) {
        return false;
    }
    *ret_uid = uid;
    return true;
}

static bool look_into(const char *table, uint16_t port, uid_t *ret_uid)
{
    char row[512];
    bool found = false;
    FILE *file = fopen(table, "re");
    while (file && !found && fgets(row, sizeof(row), file)) {
        found = read_row(row, port, ret_uid);
    }
    if (file) {
        fclose(file);
    }
    return found;
}

bool tb_port_owner(uint16_t port, uid_t *ret_uid)
{
    return look_into("/proc/net/tcp", port, ret_uid) || look_into("/proc/net/tcp6", port, ret_uid);
}

static int connect_to(const char *ip, uint16_t port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_usec = ASK_US};
    struct addrinfo *where = NULL;
    char service[8];
    snprintf(service, sizeof(service), "%u", port);
    if (getaddrinfo(ip, service, &hints, &where) != 0) {
        return -1;
    }
    int fd = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (fd >= 0 && connect(fd, where->ai_addr, where->ai_addrlen) < 0) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(where);
    return fd;
}

/* By its greeting: what /health says is what other programs say there, too. */
bool tb_port_is_tabard(const char *ip, uint16_t port)
{
    static const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    static const char greeting[] = "\r\n\r\ntabard is running.";
    char answer[ANSWER_MAX];
    size_t len = 0;
    ssize_t got = 1;
    int fd = connect_to(ip, port);
    if (fd < 0) {
        return false;
    }
    if (send(fd, ask, sizeof(ask) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(ask) - 1) {
        got = 0;
    }
    while (got > 0 && len < sizeof(answer)) {
        got = recv(fd, answer + len, sizeof(answer) - len, 0);
        len += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return memmem(answer, len, greeting, sizeof(greeting) - 1) != NULL;
}
