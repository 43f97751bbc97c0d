/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "daemon/doors_rig.h"
#include "daemon/port_rig.h"
#include "front/ops/ops.h"
#include "front/proxy/proxy.h"

/* A front that owns a door: it greets whoever comes, in no protocol at all. */

struct greeter {
    struct tb_stream *stream;
};

static int greeter_start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    (void)core;
    (void)err;
    *ret_state = TB_NEW(struct greeter);
    return 0;
}

static void greeter_accept(void *state, struct tb_stream *stream)
{
    struct greeter *greeter = state;
    assert_null(greeter->stream);
    greeter->stream = stream;
    tb_stream_write(stream, TB_STR("welcome, traveller\n"));
}

static void greeter_drain(void *state)
{
    struct greeter *greeter = state;
    tb_stream_finish_and_free(greeter->stream, 0);
    greeter->stream = NULL;
}

static void greeter_stop(void *state)
{
    struct greeter *greeter = state;
    tb_stream_free(greeter->stream);
    tb_free(greeter);
}

static const struct tb_front greeter = {
    .name = "greeter",
    .start = greeter_start,
    .accept = greeter_accept,
    .drain = greeter_drain,
    .stop = greeter_stop,
};

static const struct tb_front *const fronts[] = {&tb_front_ops, &greeter, &tb_front_proxy, NULL};

static const struct tb_door_row with_greeter[] = {
    {"main", TB_DOOR_MAIN, "listen", NULL, false},
    {"greeter", 0, "agent_listen", &greeter, false},
    {NULL, 0, NULL, NULL, false},
};

static int set_up(void **state)
{
    static struct doors_rig rig;
    doors_rig_init(&rig);
    *state = &rig;
    return 0;
}

static int tear_down(void **state)
{
    doors_rig_fini(*state);
    return 0;
}

#define GET_HEALTH "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void expect_health(struct doors_rig *rig, struct rig_client *client)
{
    rig_send(client, GET_HEALTH);
    RIG_UNTIL(rig->core.loop, rig_got(client, "HTTP/1.1 200 OK"));
}

static void every_row_of_the_table_is_opened_and_counted(void **state)
{
    struct doors_rig *rig = *state;
    struct rig_client main_client;
    struct rig_client agent_client;
    struct tb_err err;
    assert_true(doors_rig_open(rig, fronts, tb_doors_rows(), &err));
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "main"), &main_client);
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "agent"), &agent_client);
    expect_health(rig, &main_client);
    expect_health(rig, &agent_client);
    assert_int_equal(tb_doors_connections(rig->doors), 2);
    assert_int_equal(tb_doors_port(rig->doors, "unix"), 0);
    char address[64];
    snprintf(address, sizeof(address), "http://127.0.0.1:%u",
             (unsigned)tb_doors_port(rig->doors, "main"));
    assert_string_equal(tb_doors_address(rig->doors), address);
    rig_client_close(&main_client);
    rig_client_close(&agent_client);
}

static void a_door_may_be_off_but_not_the_main_one(void **state)
{
    struct doors_rig *rig = *state;
    struct tb_err err;
    doors_rig_set(rig, "--agent-listen", "off");
    assert_true(doors_rig_open(rig, fronts, tb_doors_rows(), &err));
    assert_true(tb_doors_port(rig->doors, "main") > 0);
    assert_int_equal(tb_doors_port(rig->doors, "agent"), 0);
    tb_doors_free(rig->doors);
    doors_rig_set(rig, "--listen", "off");
    rig->doors = tb_doors_new(&rig->core, rig->router, tb_doors_rows(), &err);
    assert_null(rig->doors);
    assert_non_null(strstr(err.text, "'off' is not an address to listen on"));
}

static void a_door_with_an_owner_gives_it_raw_streams(void **state)
{
    struct doors_rig *rig = *state;
    struct rig_client client;
    struct rig_client other;
    struct tb_err err;
    assert_true(doors_rig_open(rig, fronts, with_greeter, &err));
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "greeter"), &client);
    RIG_UNTIL(rig->core.loop, rig_got(&client, "welcome, traveller\n"));
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "main"), &other);
    expect_health(rig, &other);
    assert_int_equal(tb_doors_connections(rig->doors), 1); /* the other one is its owner's */
    rig_client_close(&client);
    rig_client_close(&other);
}

static void a_door_needs_its_owner_among_the_fronts(void **state)
{
    static const struct tb_front *const others[] = {&tb_front_ops, NULL};
    struct doors_rig *rig = *state;
    struct tb_err err;
    assert_false(doors_rig_open(rig, others, with_greeter, &err));
    assert_string_equal(err.text,
                        "the door 'greeter' is for the front 'greeter', which is not served");
}

static void draining_closes_every_door_and_waits_for_the_last_request(void **state)
{
    struct doors_rig *rig = *state;
    struct rig_client client;
    struct rig_client idle;
    struct tb_err err;
    assert_true(doors_rig_open(rig, fronts, with_greeter, &err));
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "greeter"), &client);
    RIG_UNTIL(rig->core.loop, rig_got(&client, "welcome"));
    rig_client_connect(rig->core.loop, tb_doors_port(rig->doors, "main"), &idle);
    expect_health(rig, &idle);
    doors_rig_drain(rig);
    assert_false(rig->drained);
    RIG_UNTIL(rig->core.loop, rig->drained && client.ended && idle.ended);
    assert_int_equal(tb_doors_port(rig->doors, "main"), 0);
    assert_int_equal(tb_doors_port(rig->doors, "greeter"), 0);
    rig_client_close(&client);
    rig_client_close(&idle);
}

static void a_socket_that_was_removed_is_made_again(void **state)
{
    struct doors_rig *rig = *state;
    struct tb_err err;
    char path[64];
    assert_true(doors_rig_open(rig, fronts, tb_doors_rows(), &err));
    snprintf(path, sizeof(path), "%s/tabard.sock", rig->dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(tb_doors_renew_socket(rig->doors, &err), 1);
    assert_int_equal(access(path, F_OK), 0);
    doors_rig_drain(rig);
    RIG_UNTIL(rig->core.loop, rig->drained);
    assert_int_equal(tb_doors_renew_socket(rig->doors, &err), 0);
}

static void trying_tells_the_addresses_or_which_is_taken(void **state)
{
    struct doors_rig *rig = *state;
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1024);
    assert_int_equal(tb_doors_try(&rig->config, &text, &err), 2);
    assert_true(tb_str_eq_cstr(tb_buf_str(&text), "127.0.0.1:0 and 127.0.0.1:0"));
    tb_buf_clear(&text);
    doors_rig_set(rig, "--agent-listen", "off");
    assert_int_equal(tb_doors_try(&rig->config, &text, &err), 1);
    assert_true(tb_str_eq_cstr(tb_buf_str(&text), "127.0.0.1:0"));
    assert_true(doors_rig_open(rig, fronts, tb_doors_rows(), &err));
    char taken[32];
    snprintf(taken, sizeof(taken), "127.0.0.1:%u", (unsigned)tb_doors_port(rig->doors, "main"));
    doors_rig_set(rig, "--agent-listen", taken);
    assert_int_equal(tb_doors_try(&rig->config, &text, &err), -EADDRINUSE);
    assert_non_null(strstr(err.text, taken));
    assert_non_null(strstr(err.text, "--agent-listen"));
}

#define GREETING "HTTP/1.1 200 OK\r\n\r\ntabard is running."

static void a_taken_port_is_said_with_its_owner_and_what_the_reader_can_do(void **state)
{
    static const struct {
        uid_t uid; /* 0: our own */
        const char *answer;
        const char *words;
    } cases[] = {
        {0, GREETING,
         "is in use by another tabard daemon, with another state directory; stop it or choose "
         "another address with --listen"},
        {0, "", "is in use by another program; stop it or choose another address with --listen"},
        {PORT_RIG_NOBODY, GREETING,
         "is in use by the tabard daemon of user nobody (65534); choose another address with "
         "--listen (port 0 picks a free one)"},
        {PORT_RIG_NOBODY, "",
         "is in use by a program of user nobody (65534); choose another address with --listen "
         "(port 0 picks a free one)"},
    };
    struct doors_rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf ignored = TB_BUF(1024);
        struct tb_err err;
        uint16_t port;
        if (cases[i].uid && geteuid() != 0) {
            skip(); /* only root can be somebody else */
        }
        pid_t child =
            port_rig_start(cases[i].uid ? cases[i].uid : geteuid(), cases[i].answer, &port);
        TB_AUTO(tb_free) char *taken = tb_strdupf("127.0.0.1:%u", (unsigned)port);
        TB_AUTO(tb_free) char *words = tb_strdupf("%s %s", taken, cases[i].words);
        doors_rig_set(rig, "--listen", taken);
        assert_int_equal(tb_doors_try(&rig->config, &ignored, &err), -EADDRINUSE);
        assert_string_equal(err.text, words);
        port_rig_end(child);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(every_row_of_the_table_is_opened_and_counted),
        CASE(a_door_may_be_off_but_not_the_main_one),
        CASE(a_door_with_an_owner_gives_it_raw_streams),
        CASE(a_door_needs_its_owner_among_the_fronts),
        CASE(draining_closes_every_door_and_waits_for_the_last_request),
        CASE(a_socket_that_was_removed_is_made_again),
        CASE(trying_tells_the_addresses_or_which_is_taken),
        CASE(a_taken_port_is_said_with_its_owner_and_what_the_reader_can_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
