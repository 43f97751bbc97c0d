/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "io/stream_internal.h"

static void set_v4(struct tb_peer *peer, const struct in_addr *addr, in_port_t port)
{
    inet_ntop(AF_INET, addr, peer->host, sizeof(peer->host));
    snprintf(peer->text, sizeof(peer->text), "%s:%u", peer->host, ntohs(port));
    peer->local = ntohl(addr->s_addr) >> 24 == IN_LOOPBACKNET;
}

static void set_v6(struct tb_peer *peer, const struct in6_addr *addr, in_port_t port)
{
    if (IN6_IS_ADDR_V4MAPPED(addr)) {
        struct in_addr inner;
        memcpy(&inner, &addr->s6_addr[12], sizeof(inner));
        set_v4(peer, &inner, port);
        return;
    }
    inet_ntop(AF_INET6, addr, peer->host, sizeof(peer->host));
    snprintf(peer->text, sizeof(peer->text), "[%s]:%u", peer->host, ntohs(port));
    peer->local = IN6_IS_ADDR_LOOPBACK(addr);
}

void tb_peer_set_address(struct tb_peer *peer, const struct sockaddr_storage *addr)
{
    *peer = (struct tb_peer){0};
    if (addr->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)addr;
        set_v4(peer, &v4->sin_addr, v4->sin_port);
    } else if (addr->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)addr;
        set_v6(peer, &v6->sin6_addr, v6->sin6_port);
    }
}

void tb_peer_set_unix(struct tb_peer *peer, int fd)
{
    *peer = (struct tb_peer){.local = true};
    struct ucred cred;
    socklen_t len = sizeof(cred);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0) {
        snprintf(peer->host, sizeof(peer->host), "unix");
    } else {
        peer->has_uid = true;
        peer->uid = cred.uid;
        snprintf(peer->host, sizeof(peer->host), "unix:uid=%u", cred.uid);
    }
    memcpy(peer->text, peer->host, sizeof(peer->host));
}

void tb_peer_set_pipe(struct tb_peer *peer)
{
    *peer = (struct tb_peer){.text = "pipe", .host = "pipe", .local = true};
}
