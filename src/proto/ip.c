/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ip.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"

#define V4(a, b, c, d)                                           \
    {                                                            \
        {                                                        \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d \
        }                                                        \
    }
#define V4_BITS(bits) (TB_IP_V4_BITS + (bits))

struct range {
    struct tb_ip ip;
    unsigned bits;
    const char *name;
};

/* What IANA's registries of special-purpose addresses call not globally reachable. The first row
 * that fits counts. */
static const struct range special[] = {
    {V4(127, 0, 0, 0), V4_BITS(8), "loopback"},
    {V4(10, 0, 0, 0), V4_BITS(8), "a private network"},
    {V4(172, 16, 0, 0), V4_BITS(12), "a private network"},
    {V4(192, 168, 0, 0), V4_BITS(16), "a private network"},
    {V4(169, 254, 0, 0), V4_BITS(16), "a link-local network"},
    {V4(100, 64, 0, 0), V4_BITS(10), "a shared network"},
    {V4(0, 0, 0, 0), V4_BITS(8), "this machine"},
    {V4(192, 0, 0, 0), V4_BITS(24), "a reserved network"},
    {V4(192, 0, 2, 0), V4_BITS(24), "a documentation network"},
    {V4(192, 88, 99, 0), V4_BITS(24), "a reserved network"},
    {V4(198, 18, 0, 0), V4_BITS(15), "a benchmark network"},
    {V4(198, 51, 100, 0), V4_BITS(24), "a documentation network"},
    {V4(203, 0, 113, 0), V4_BITS(24), "a documentation network"},
    {V4(224, 0, 0, 0), V4_BITS(4), "multicast"},
    {V4(240, 0, 0, 0), V4_BITS(4), "a reserved network"},
    {{{[15] = 1}}, 128, "loopback"},
    {{{0}}, 128, "this machine"},
    {{{0xfc}}, 7, "a private network"},
    {{{0xfe, 0x80}}, 10, "a link-local network"},
    {{{0xfe, 0xc0}}, 10, "a private network"},
    {{{0xff}}, 8, "multicast"},
    {{{0x20, 0x01}}, 23, "a reserved network"}, /* Teredo, benchmarks, ORCHID */
    {{{0x20, 0x01, 0x0d, 0xb8}}, 32, "a documentation network"},
    {{{0x3f, 0xff}}, 20, "a documentation network"},
};

/* Of IPv6, all that was ever given out for use on the internet. */
static const struct range unicast = {{{0x20}}, 3, NULL};

static const struct range loopbacks[] = {
    {V4(127, 0, 0, 0), V4_BITS(8), NULL},
    {V4(0, 0, 0, 0), V4_BITS(8), NULL},
    {{{[15] = 1}}, 128, NULL},
    {{{0}}, 128, NULL},
};

static const struct range metadata[] = {
    {V4(169, 254, 169, 254), 128, NULL},                        /* nearly all of them */
    {V4(169, 254, 169, 123), 128, NULL},                        /* AWS: time */
    {V4(169, 254, 169, 253), 128, NULL},                        /* AWS: names */
    {V4(169, 254, 170, 2), 128, NULL},                          /* AWS: containers */
    {V4(169, 254, 170, 23), 128, NULL},                         /* AWS: pods */
    {V4(169, 254, 42, 42), 128, NULL},                          /* Scaleway */
    {V4(169, 254, 0, 23), 128, NULL},                           /* Tencent */
    {V4(100, 100, 100, 200), 128, NULL},                        /* Alibaba */
    {V4(168, 63, 129, 16), 128, NULL},                          /* Azure, which took a global one */
    {V4(192, 0, 0, 192), 128, NULL},                            /* Oracle */
    {{{0xfd, 0x00, 0x0e, 0xc2}}, 32, NULL},                     /* AWS */
    {{{0xfd, 0x20, 0x00, 0xce, [14] = 0x02, 0x54}}, 128, NULL}, /* Google */
    {{{0xfd, 0x00, 0x00, 0x42, [15] = 0x42}}, 128, NULL},       /* Scaleway */
    {{{0xfe, 0x80, [12] = 0xa9, 0xfe, 0xa9, 0xfe}}, 128, NULL}, /* OpenStack */
};

/* Where inside an IPv6 address the IPv4 one stands; Teredo has it with all bits turned. */
struct carrier {
    struct tb_ip ip;
    unsigned bits;
    unsigned at;
    uint8_t turn;
};

static const struct carrier carriers[] = {
    {{{0x00, 0x64, 0xff, 0x9b}}, 96, 12, 0},
    {{{0x20, 0x02}}, 16, 2, 0},
    {{{0x20, 0x01}}, 32, 12, 0xff},
    {{{0}}, 96, 12, 0},
};

static bool is_in(const struct tb_ip *ip, const struct range *range)
{
    return tb_ip_same_prefix(ip, &range->ip, range->bits);
}

static const struct range *find(const struct tb_ip *ip, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_in(ip, &ranges[i])) {
            return &ranges[i];
        }
    }
    return NULL;
}

bool tb_ip_same_prefix(const struct tb_ip *a, const struct tb_ip *b, unsigned bits)
{
    unsigned whole = bits / 8;
    unsigned rest = bits % 8;
    if (memcmp(a->bytes, b->bytes, whole) != 0) {
        return false;
    }
    return rest == 0 || (a->bytes[whole] ^ b->bytes[whole]) >> (8 - rest) == 0;
}

struct tb_ip tb_ip_from_v4(uint32_t address)
{
    return (struct tb_ip)V4((uint8_t)(address >> 24), (uint8_t)(address >> 16),
                            (uint8_t)(address >> 8), (uint8_t)address);
}

bool tb_ip_is_v4(const struct tb_ip *ip)
{
    static const struct tb_ip any = V4(0, 0, 0, 0);
    return tb_ip_same_prefix(ip, &any, TB_IP_V4_BITS);
}

bool tb_ip_parse(struct tb_str text, struct tb_ip *ret_ip)
{
    char copy[TB_IP_TEXT_SIZE];
    struct in_addr v4;
    if (text.len == 0 || text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len)) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, &v4) == 1) {
        *ret_ip = tb_ip_from_v4(ntohl(v4.s_addr));
        return true;
    }
    return inet_pton(AF_INET6, copy, ret_ip->bytes) == 1;
}

bool tb_ip_from_sockaddr(const struct sockaddr *address, struct tb_ip *ret_ip)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)address;
        *ret_ip = tb_ip_from_v4(ntohl(v4->sin_addr.s_addr));
        return true;
    }
    if (address->sa_family != AF_INET6) {
        return false;
    }
    const struct sockaddr_in6 *v6 = (const void *)address;
    memcpy(ret_ip->bytes, &v6->sin6_addr, sizeof(ret_ip->bytes));
    return true;
}

void tb_ip_print(const struct tb_ip *ip, char ret_text[TB_IP_TEXT_SIZE])
{
    if (tb_ip_is_v4(ip)) {
        inet_ntop(AF_INET, ip->bytes + sizeof(ip->bytes) - 4, ret_text, TB_IP_TEXT_SIZE);
    } else {
        inet_ntop(AF_INET6, ip->bytes, ret_text, TB_IP_TEXT_SIZE);
    }
}

bool tb_ip_carried(const struct tb_ip *ip, struct tb_ip *ret_v4)
{
    for (size_t i = 0; i < TB_COUNT(carriers); i++) {
        const struct carrier *carrier = &carriers[i];
        if (tb_ip_same_prefix(ip, &carrier->ip, carrier->bits)) {
            uint32_t address = 0;
            for (unsigned n = 0; n < sizeof(address); n++) {
                address = address << 8 | (uint8_t)(ip->bytes[carrier->at + n] ^ carrier->turn);
            }
            *ret_v4 = tb_ip_from_v4(address);
            return true;
        }
    }
    return false;
}

bool tb_ip_is_loopback(const struct tb_ip *ip)
{
    struct tb_ip inner;
    return find(ip, loopbacks, TB_COUNT(loopbacks)) ||
           (tb_ip_carried(ip, &inner) && find(&inner, loopbacks, TB_COUNT(loopbacks)));
}

bool tb_ip_is_metadata(const struct tb_ip *ip)
{
    struct tb_ip inner;
    return find(ip, metadata, TB_COUNT(metadata)) ||
           (tb_ip_carried(ip, &inner) && find(&inner, metadata, TB_COUNT(metadata)));
}

const char *tb_ip_range(const struct tb_ip *ip)
{
    struct tb_ip inner;
    const struct range *range = find(ip, special, TB_COUNT(special));
    if (range) {
        return range->name;
    }
    if (tb_ip_is_v4(ip)) {
        return NULL;
    }
    if (tb_ip_carried(ip, &inner)) {
        range = find(&inner, special, TB_COUNT(special));
        return range ? range->name : NULL;
    }
    return is_in(ip, &unicast) ? NULL : "a reserved network";
}
