/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/port_owner.h"

#include "base/mem.h"
#include "daemon/port_rig.h"

static void the_owner_of_a_port_is_found(void **state)
{
    uint16_t port;
    uid_t uid = 12345;
    (void)state;
    int fd = port_rig_listen(&port);
    assert_true(tb_port_owner(port, &uid));
    assert_int_equal(uid, geteuid());
    close(fd);
    assert_false(tb_port_owner(port, &uid));
}

static void another_user_is_found_too(void **state)
{
    uint16_t port;
    uid_t uid = 0;
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    pid_t child = port_rig_start(PORT_RIG_NOBODY, "", &port);
    assert_true(tb_port_owner(port, &uid));
    assert_int_equal(uid, PORT_RIG_NOBODY);
    port_rig_end(child);
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
    uint16_t port = 0;
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        pid_t child = port_rig_start(geteuid(), rows[i].words, &port);
        assert_int_equal(tb_port_is_tabard("127.0.0.1", port), rows[i].ours);
        port_rig_end(child);
    }
    assert_false(tb_port_is_tabard("127.0.0.1", port)); /* nobody is there */
    int silent = port_rig_listen(&port);
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
