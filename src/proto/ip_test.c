/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/ip.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/mem.h"

static struct tb_ip ip_of(const char *text)
{
    struct tb_ip ip;
    assert_true(tb_ip_parse(tb_str_of(text), &ip));
    return ip;
}

/* NET-5: the first and last addresses of every non-global range. */
static void addresses_that_are_not_of_the_internet_are_known(void **state)
{
    static const char *const inside[] = {
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.0.1",
        "169.254.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "192.168.255.255",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "2001::1",
        "2001:db8::1",
        "2001:10::1",
        "3fff::1",
        "::ffff:10.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "::10.0.0.1",
        "64:ff9b:1::1",
        "100::1",
        "5f00::1",
        "4000::1",
        "::ffff:0:10.0.0.1",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(inside); i++) {
        struct tb_ip ip = ip_of(inside[i]);
        assert_non_null(tb_ip_range(&ip));
    }
}

/* NET-5 */
static void addresses_beside_them_are_of_the_internet(void **state)
{
    static const char *const outside[] = {
        "1.1.1.1",        "9.255.255.255",  "11.0.0.0",    "100.63.255.255", "100.128.0.0",
        "126.0.0.1",      "128.0.0.1",      "169.253.0.1", "169.255.0.1",    "172.15.255.255",
        "172.32.0.0",     "192.0.1.1",      "192.167.0.1", "192.169.0.1",    "198.17.255.255",
        "198.20.0.0",     "223.255.255.1",  "2600::1",     "2001:4860::1",   "64:ff9b::8.8.8.8",
        "2002:808:808::", "::ffff:8.8.8.8", "2001:200::1", "3ffe::1",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(outside); i++) {
        struct tb_ip ip = ip_of(outside[i]);
        assert_null(tb_ip_range(&ip));
    }
}

static void a_range_is_named(void **state)
{
    struct tb_ip ip = ip_of("192.168.1.1");
    (void)state;
    assert_string_equal(tb_ip_range(&ip), "a private network");
    ip = ip_of("2002:7f00:1::");
    assert_string_equal(tb_ip_range(&ip), "loopback");
}

static void metadata_services_are_known_in_every_form(void **state)
{
    static const char *const services[] = {
        "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254",
        "fd00:ec2::254",   "100.100.100.200",        "168.63.129.16",
        "fe80::a9fe:a9fe", "fd20:ce::254",           "169.254.170.2",
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(services); i++) {
        struct tb_ip ip = ip_of(services[i]);
        assert_true(tb_ip_is_metadata(&ip));
    }
    struct tb_ip ip = ip_of("169.254.169.1");
    assert_false(tb_ip_is_metadata(&ip));
    ip = ip_of("2002:808:808::");
    assert_false(tb_ip_is_metadata(&ip));
}

static void loopback_is_this_machine_however_it_is_written(void **state)
{
    static const char *const here[] = {
        "127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(here); i++) {
        struct tb_ip ip = ip_of(here[i]);
        assert_true(tb_ip_is_loopback(&ip));
    }
    struct tb_ip ip = ip_of("10.0.0.1");
    assert_false(tb_ip_is_loopback(&ip));
    ip = ip_of("64:ff9b::808:808");
    assert_false(tb_ip_is_loopback(&ip));
}

static void an_address_inside_another_is_found(void **state)
{
    static const char *const forms[] = {"64:ff9b::192.0.2.33", "2002:c000:221::1",
                                        "2001::3fff:fdde", "::192.0.2.33"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(forms); i++) {
        struct tb_ip ip = ip_of(forms[i]);
        struct tb_ip inner;
        char text[TB_IP_TEXT_SIZE];
        assert_true(tb_ip_carried(&ip, &inner));
        tb_ip_print(&inner, text);
        assert_string_equal(text, "192.0.2.33");
    }
    struct tb_ip ip = ip_of("2600::1");
    assert_false(tb_ip_carried(&ip, &ip));
    ip = ip_of("192.0.2.33");
    assert_false(tb_ip_carried(&ip, &ip));
}

static void text_that_is_no_address_is_refused(void **state)
{
    static const char *const bad[] = {"",      "1.2.3",     "1.2.3.4.5", "01.2.3.4", "256.1.1.1",
                                      "[::1]", "fe80::1%1", "::g",       "1.2.3.4 "};
    struct tb_ip ip;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_false(tb_ip_parse(tb_str_of(bad[i]), &ip));
    }
    assert_false(tb_ip_parse(TB_STR("::1\0"), &ip));
    assert_false(tb_ip_parse(TB_STR("1111:1111:1111:1111:1111:1111:1111:1111:1111:1111"), &ip));
}

static void socket_addresses_are_read(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct tb_ip ip;
    char text[TB_IP_TEXT_SIZE];
    (void)state;
    assert_true(tb_ip_from_sockaddr((const struct sockaddr *)&v4, &ip));
    tb_ip_print(&ip, text);
    assert_string_equal(text, "127.0.0.1");
    assert_true(tb_ip_from_sockaddr((const struct sockaddr *)&v6, &ip));
    tb_ip_print(&ip, text);
    assert_string_equal(text, "::1");
    assert_false(tb_ip_from_sockaddr((const struct sockaddr *)&local, &ip));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_that_are_not_of_the_internet_are_known),
        cmocka_unit_test(addresses_beside_them_are_of_the_internet),
        cmocka_unit_test(a_range_is_named),
        cmocka_unit_test(metadata_services_are_known_in_every_form),
        cmocka_unit_test(loopback_is_this_machine_however_it_is_written),
        cmocka_unit_test(an_address_inside_another_is_found),
        cmocka_unit_test(text_that_is_no_address_is_refused),
        cmocka_unit_test(socket_addresses_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
