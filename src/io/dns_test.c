/* SPDX-License-Identifier: Apache-2.0 */
#include "io/dns.h"

#include <errno.h>
#include <netinet/in.h>

#include "io/testing.h"

struct heard {
    int calls;
    int status;
    size_t count;
    struct sockaddr_storage first;
};

static void on_heard(int status, const struct sockaddr_storage *addresses, size_t count, void *user)
{
    struct heard *heard = user;
    heard->calls++;
    heard->status = status;
    heard->count = count;
    if (count) {
        heard->first = addresses[0];
    }
}

static void an_address_is_its_own_answer(void **state)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_dns_free) struct tb_dns *dns = tb_dns_new_system(loop);
    struct heard heard = {0};
    (void)state;
    tb_dns_ask(dns, "127.0.0.1", TEST_HOUR_MS, on_heard, &heard);
    assert_int_equal(heard.calls, 0);
    WAIT_UNTIL(loop, heard.calls == 1);
    assert_int_equal(heard.status, 0);
    assert_int_equal(heard.count, 1);
    const struct sockaddr_in *address = (const struct sockaddr_in *)&heard.first;
    assert_int_equal(address->sin_family, AF_INET);
    assert_int_equal(ntohl(address->sin_addr.s_addr), INADDR_LOOPBACK);
}

static void a_name_that_there_is_not_fails(void **state)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_dns_free) struct tb_dns *dns = tb_dns_new_system(loop);
    struct heard heard = {0};
    (void)state;
    tb_dns_ask(dns, "no such name", TEST_HOUR_MS, on_heard, &heard);
    WAIT_UNTIL(loop, heard.calls == 1);
    assert_true(heard.status < 0);
    assert_int_equal(heard.count, 0);
}

static void what_is_cancelled_is_told_to_nobody(void **state)
{
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    TB_AUTO(tb_dns_free) struct tb_dns *dns = tb_dns_new_system(loop);
    struct heard heard = {0};
    (void)state;
    for (int i = 0; i < 20; i++) { /* more than there are workers */
        struct tb_dns_query *query = tb_dns_ask(dns, "127.0.0.1", TEST_HOUR_MS, on_heard, &heard);
        if (i % 2) {
            tb_loop_turn(loop, false);
        }
        if (heard.calls == 0) {
            tb_dns_cancel(dns, query);
        }
        heard.calls = 0;
    }
    tb_dns_cancel(dns, NULL);
    tb_loop_turn(loop, false);
    assert_int_equal(heard.calls, 0);
}

static void an_answer_that_comes_too_late_does_not_count(void **state)
{
    struct tb_clock_manual clock;
    tb_clock_manual_init(&clock);
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(&clock.clock);
    TB_AUTO(tb_dns_free) struct tb_dns *dns = tb_dns_new_system(loop);
    struct heard heard = {0};
    (void)state;
    tb_dns_ask(dns, "127.0.0.1", 0, on_heard, &heard);
    while (!heard.calls) {
        tb_loop_turn(loop, false);
    }
    int status = heard.status;
    assert_true(status == 0 || status == -ETIMEDOUT);
    for (int i = 0; i < 100; i++) {
        tb_loop_turn(loop, false);
    }
    assert_int_equal(heard.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_its_own_answer),
        cmocka_unit_test(a_name_that_there_is_not_fails),
        cmocka_unit_test(what_is_cancelled_is_told_to_nobody),
        cmocka_unit_test(an_answer_that_comes_too_late_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
