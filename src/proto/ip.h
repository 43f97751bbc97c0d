/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses, and which of them are not of the open internet. The tables here are the only ones:
 * whoever has to know whether an address is this machine's, a private network's or a cloud's
 * metadata service asks here (lint refuses a second classifier).
 *
 * IPv4 is kept as ::ffff:a.b.c.d, so an address has one form, however it was written. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sockaddr;

enum {
    TB_IP_TEXT_SIZE = 46, /* with its NUL */
    TB_IP_BITS = 128,
    TB_IP_V4_BITS = 96, /* those that come before the 32 of an IPv4 address */
};

struct tb_ip {
    uint8_t bytes[16]; /* in network order */
};

/* "192.0.2.1" or "2001:db8::1", without brackets and zone. */
bool tb_ip_parse(struct tb_str text, struct tb_ip *ret_ip);
struct tb_ip tb_ip_from_v4(uint32_t address);
/* False for what is neither IPv4 nor IPv6. */
bool tb_ip_from_sockaddr(const struct sockaddr *address, struct tb_ip *ret_ip);
bool tb_ip_is_v4(const struct tb_ip *ip);
/* As it is usually written, without brackets. */
void tb_ip_print(const struct tb_ip *ip, char ret_text[TB_IP_TEXT_SIZE]);
/* Whether both begin with the same `bits`. */
bool tb_ip_same_prefix(const struct tb_ip *a, const struct tb_ip *b, unsigned bits);
/* The IPv4 address to which a translator or tunnel takes what is sent to this IPv6 address (NAT64,
 * 6to4, Teredo, IPv4-compatible); false if there is none. */
bool tb_ip_carried(const struct tb_ip *ip, struct tb_ip *ret_v4);

/* This machine itself: 127.0.0.0/8, ::1, and the unspecified addresses, which lead there as well.
 */
bool tb_ip_is_loopback(const struct tb_ip *ip);
/* What the network is called if it is not of the open internet ("a private network"); NULL for
 * global addresses. One that carries IPv4 is what the carried one is. */
const char *tb_ip_range(const struct tb_ip *ip);
/* Where a cloud hands out the machine's credentials. */
bool tb_ip_is_metadata(const struct tb_ip *ip);
