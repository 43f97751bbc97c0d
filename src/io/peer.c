/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "io/stream_internal.h"
#include "proto/ip.h"

enum {
    SUBSCRIBER_BYTES = 8, /* of an IPv6 address: whoever has one of a network has all of it */
};

static void set_ip(struct tb_peer *peer, const struct tb_ip *ip, in_port_t port)
{
    char address[TB_IP_TEXT_SIZE];
    struct tb_ip network = *ip;
    tb_ip_print(ip, address);
    snprintf(peer->text, sizeof(peer->text), tb_ip_is_v4(ip) ? "%s:%u" : "[%s]:%u", address,
             ntohs(port));
    peer->local = tb_ip_is_loopback(ip);
    if (!tb_ip_is_v4(ip) && !peer->local) {
        memset(network.bytes + SUBSCRIBER_BYTES, 0, sizeof(network.bytes) - SUBSCRIBER_BYTES);
    }
    tb_ip_print(&network, peer->host);
}

void tb_peer_set_address(struct tb_peer *peer, const struct sockaddr_storage *addr)
{
    struct tb_ip ip;
    *peer = (struct tb_peer){0};
    if (tb_ip_from_sockaddr((const struct sockaddr *)addr, &ip)) {
        /* The port stands at the same place in both kinds. */
        set_ip(peer, &ip, ((const struct sockaddr_in *)addr)->sin_port);
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
