/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/wire/conn_rig.h"

/* A session of the browser that somebody listens to. */
struct attached {
    struct tb_cdp_route route;
    struct rig *rig;
};

static void on_session_event(struct tb_cdp_route *route, struct tb_str method, struct tb_str params)
{
    struct rig *rig = TB_CONTAINER(route, struct attached, route)->rig;
    tb_buf_printf(&rig->heard, "%s:%.*s:%.*s ", route->session_id, TB_STR_ARG(method),
                  TB_STR_ARG(params));
    if (rig->free_in_event) {
        drop(rig);
    }
}

/* MSG-4: an event of a session that nobody has. */
static void events_go_to_whoever_has_their_session(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    struct attached nine = {{"S9", on_session_event}, &rig};
    struct attached also = {{"S9", on_session_event}, &rig};
    assert_int_equal(tb_cdp_route_begin(rig.conn, &nine.route), 0);
    assert_true(tb_cdp_route_begin(rig.conn, &also.route) < 0);
    tb_cdp_route_end(rig.conn, &also.route); /* which never began */
    assert_ptr_equal(tb_cdp_route_of(rig.conn, TB_STR("S9")), &nine.route);
    assert_null(tb_cdp_route_of(rig.conn, TB_STR("S8")));
    say(&rig, "{\"method\":\"A.x\",\"params\":{\"n\":1}}|");
    say(&rig, "{\"method\":\"B.y\",\"params\":{},\"sessionId\":\"S9\"}|");
    say(&rig, "{\"method\":\"B.z\",\"params\":{},\"sessionId\":\"S8\"}|");
    expect(&rig, ":A.x:{\"n\":1} S9:B.y:{} ");
    tb_cdp_route_end(rig.conn, &nine.route);
    say(&rig, "{\"method\":\"B.y\",\"params\":{},\"sessionId\":\"S9\"}|");
    expect(&rig, "");
    rig_fini(&rig);
}

static void a_line_may_go_in_an_event_of_a_session(void **state)
{
    struct rig rig;
    (void)state;
    rig_init(&rig);
    struct attached nine = {{"S9", on_session_event}, &rig};
    tb_cdp_route_begin(rig.conn, &nine.route);
    rig.free_in_event = true;
    say(&rig, "{\"method\":\"B.y\",\"sessionId\":\"S9\"}|{\"method\":\"A.x\"}|");
    tb_cdp_route_end(rig.conn, &nine.route);
    expect(&rig, "S9:B.y: ");
    rig_fini(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_go_to_whoever_has_their_session),
        cmocka_unit_test(a_line_may_go_in_an_event_of_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
