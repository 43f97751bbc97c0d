/* SPDX-License-Identifier: Apache-2.0 */
/* /api/events behind the real router and HTTP server, with raw clients. */
#include "front/events/readers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "io/stream.h"

#include "support/mcp_rig.h"
#include "support/principals.h"

enum {
    FRAME_HEAD = 4, /* of a WebSocket message from 126 bytes up; it has zero bytes */
    LARGE = 8000,
    MANY = 800, /* large ones: more than is kept and than a socket holds */
};

struct fixture {
    struct mcp_rig rig;
    struct mcp_client client;
    struct tb_feed *feed;
};

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    mcp_rig_init(&f->rig);
    mcp_rig_serve(&f->rig);
    /* The feed is the only one that always listens. */
    f->feed = TB_CONTAINER(f->rig.core.bus.subscribers.next, struct tb_feed, bus.link);
    mcp_client_open(&f->rig, &f->client);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    assert_int_equal(f->feed->reader_count, 0);
    mcp_rig_fini(&f->rig);
    tb_free(f);
    return 0;
}

static const char *open_at(struct fixture *f, struct mcp_client *client, const char *query,
                           const char *headers)
{
    TB_AUTO(tb_free) char *line = tb_strdupf("GET /api/events%s", query);
    return mcp_client_ask(&f->rig, client, line, headers, "");
}

static void publish_as(struct fixture *f, const char *tenant, enum tb_event_type type,
                       struct tb_field field)
{
    tb_bus_publish(
        &f->rig.core.bus,
        &(struct tb_event){.type = type, .tenant = tenant, .session_id = "", .fields = {field}});
}

static void publish(struct fixture *f, int number)
{
    publish_as(f, "default", TB_EVENT_TAB_OPENED, tb_field_number("tab", number));
}

/* Enough for whoever does not read to lose its place. */
static void flood(struct fixture *f)
{
    TB_AUTO(tb_free) char *url = tb_strdupf("%0*d", LARGE, 0);
    for (int i = 0; i < MANY; i++) {
        publish_as(f, "default", TB_EVENT_NAVIGATED, tb_field_cstr("url", url));
        mcp_rig_turn(&f->rig);
    }
}

static const char *heard(struct fixture *f, struct mcp_client *client)
{
    client->got.len = 0;
    mcp_rig_turn(&f->rig);
    return mcp_client_heard(client);
}

static size_t count(const char *text, const char *part)
{
    size_t times = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) {
        times++;
    }
    return times;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("no '%s' in: %.2000s", part, text);
    }
}

static void id_of(const struct fixture *f, uint64_t position, char id[TB_NOTICE_ID_SIZE])
{
    tb_feed_id(f->feed, position, id);
}

static void a_reader_gets_what_happens_with_its_id(void **state)
{
    struct fixture *f = *state;
    char id[TB_NOTICE_ID_SIZE];
    const char *said = open_at(f, &f->client, "", "");
    expect(said, "HTTP/1.1 200 ");
    expect(said, "Content-Type: text/event-stream\r\n");
    id_of(f, 0, id);
    expect(said, id);
    publish(f, 1);
    publish(f, 2);
    said = heard(f, &f->client);
    id_of(f, 2, id);
    expect(said, id);
    expect(said, "event: tab_opened\n");
    expect(said, "\"data\":{\"tab\":1}}");
    expect(said, "\"data\":{\"tab\":2}}");
}

static void a_session_has_its_name_and_kind_and_never_its_id(void **state)
{
    struct fixture *f = *state;
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("default"), .conversation = ""};
    const struct tb_session_spec spec = {.name = TB_STR("box"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = f->rig.fake,
                                         .deadline_ms = INT64_MAX};
    open_at(f, &f->client, "", "");
    assert_int_equal(
        tb_sessions_create(f->rig.core.sessions, &caller, &spec, &session, &warning, &err), 0);
    char id[TB_ID_SIZE];
    memcpy(id, tb_session_info(session).id, sizeof(id));
    f->client.got.len = 0;
    mcp_rig_turn(&f->rig);
    tb_session_end(tb_sessions_find(f->rig.core.sessions, "default", TB_STR("box")), TB_END_CLOSED);
    mcp_rig_turn(&f->rig);
    const char *said = mcp_client_heard(&f->client);
    expect(said, "event: session_started\n");
    expect(said, "-1\",\"type\":\"session_started\",\"time\":\"2023-11-14T22:13:20.000Z\","
                 "\"tenant\":\"default\",\"sessionId\":\"box\",\"kind\":\"browser\","
                 "\"data\":{\"name\":\"box\",\"type\":\"browser\",\"driver\":\"fake\"}}\n");
    expect(said, "event: session_ended\n");
    expect(said, "-2\",\"type\":\"session_ended\",\"time\":\"2023-11-14T22:13:20.000Z\","
                 "\"tenant\":\"default\",\"sessionId\":\"box\",\"kind\":\"browser\","
                 "\"data\":{\"name\":\"box\",\"type\":\"browser\",\"reason\":\"closed\","
                 "\"duration_ms\":0,\"calls\":0,\"errors\":0}}\n");
    assert_int_equal(count(said, "\"sessionId\":\"box\",\"kind\":\"browser\""),
                     count(said, "id: "));
    assert_null(strstr(said, id));
}

static void only_what_fits_comes_and_only_of_the_tenant(void **state)
{
    struct fixture *f = *state;
    open_at(f, &f->client, "?type=tab_opened", "");
    publish_as(f, "default", TB_EVENT_TAB_CLOSED, tb_field_number("tab", 1));
    publish_as(f, "other", TB_EVENT_TAB_OPENED, tb_field_number("tab", 2));
    publish_as(f, "default", TB_EVENT_TAB_OPENED, tb_field_number("tab", 3));
    const char *said = heard(f, &f->client);
    assert_int_equal(count(said, "data:"), 1);
    expect(said, "{\"tab\":3}");
}

static void who_comes_back_gets_what_it_missed_once(void **state)
{
    struct fixture *f = *state;
    char id[TB_NOTICE_ID_SIZE];
    for (int i = 1; i <= 5; i++) {
        publish(f, i);
    }
    id_of(f, 2, id);
    TB_AUTO(tb_free) char *header = tb_strdupf("Last-Event-ID: %s\r\n", id);
    TB_AUTO(tb_free) char *query = tb_strdupf("?after=%s", id);
    const char *const asks[][2] = {{"", header}, {query, ""}, {"?after=nonsense", header}};
    for (size_t i = 0; i < TB_COUNT(asks); i++) {
        struct mcp_client client;
        mcp_client_open(&f->rig, &client);
        const char *said = open_at(f, &client, asks[i][0], asks[i][1]);
        assert_int_equal(count(said, "data:"), 3);
        expect(said, "{\"tab\":3}");
        expect(said, "{\"tab\":5}");
        mcp_client_close(&client);
    }
}

static void who_has_missed_too_much_is_told(void **state)
{
    static const struct {
        const char *id; /* NULL: the first of this run */
        const char *reason;
    } cases[] = {{NULL, "expired"},
                 {"0123456789ab-1", "restarted"},
                 {"nonsense", "unknown_id"},
                 {"0123456789ab-x", "unknown_id"},
                 {"0123456789abc-1", "unknown_id"}};
    struct fixture *f = *state;
    char first[TB_NOTICE_ID_SIZE];
    char next[TB_NOTICE_ID_SIZE];
    for (int i = 1; i <= TB_EVENTS_KEPT + 10; i++) {
        publish(f, i);
    }
    id_of(f, 1, first);
    id_of(f, 11, next);
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct mcp_client client;
        TB_AUTO(tb_free) char *query = tb_strdupf("?after=%s", cases[i].id ? cases[i].id : first);
        TB_AUTO(tb_free)
        char *data = tb_strdupf("{\"reason\":\"%s\",\"next\":\"%s\"}", cases[i].reason, next);
        mcp_client_open(&f->rig, &client);
        TB_AUTO(tb_free) char *said = tb_strdup(open_at(f, &client, query, ""));
        expect(said, data);
        assert_true(strstr(said, "event: resync\n") < strstr(said, "event: tab_opened\n"));
        assert_null(strstr(said, "{\"tab\":10}"));
        expect(said, "{\"tab\":11}");
        mcp_client_close(&client);
    }
}

static void who_does_not_read_is_dropped_with_its_place_and_others_miss_nothing(void **state)
{
    struct fixture *f = *state;
    struct mcp_client slow;
    char id[TB_NOTICE_ID_SIZE];
    mcp_client_open(&f->rig, &slow);
    open_at(f, &slow, "", "");
    open_at(f, &f->client, "", "");
    tb_stream_pause(slow.stream);
    f->client.got.len = 0;
    flood(f);
    const char *said = mcp_client_heard(&f->client);
    assert_int_equal(count(said, "event: navigated\n"), MANY);
    assert_null(strstr(said, "event: dropped"));
    assert_int_equal(f->feed->reader_count, 1);
    assert_int_equal(f->rig.core.metrics.values[TB_METRIC_EVENT_READERS_DROPPED], 1);
    slow.got.len = 0;
    tb_stream_resume(slow.stream);
    mcp_rig_turn(&f->rig);
    said = mcp_client_heard(&slow);
    id_of(f, count(said, "event: navigated\n"), id);
    TB_AUTO(tb_free) char *last = tb_strdupf("event: dropped\nid: %s\n", id);
    expect(said, last);
    expect(said, "0\r\n\r\n");
    mcp_client_close(&slow);
}

#define UPGRADE                                                                  \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static void a_websocket_gets_the_same_as_messages(void **state)
{
    struct fixture *f = *state;
    publish(f, 1);
    char id[TB_NOTICE_ID_SIZE];
    id_of(f, 1, id);
    TB_AUTO(tb_free) char *query = tb_strdupf("?after=%s", id);
    expect(open_at(f, &f->client, query, UPGRADE), "HTTP/1.1 101 ");
    publish(f, 2);
    const char *said = heard(f, &f->client);
    assert_int_equal((uint8_t)said[0], 0x81);
    id_of(f, 2, id);
    expect(said + FRAME_HEAD, id);
    expect(said + FRAME_HEAD, "\"data\":{\"tab\":2}}");
    assert_null(strstr(said + FRAME_HEAD, "event:"));
}

static void a_slow_websocket_is_closed_with_its_place(void **state)
{
    struct fixture *f = *state;
    char id[TB_NOTICE_ID_SIZE];
    open_at(f, &f->client, "", UPGRADE);
    tb_stream_pause(f->client.stream);
    f->client.got.len = 0;
    flood(f);
    tb_stream_resume(f->client.stream);
    mcp_rig_turn(&f->rig);
    const struct tb_buf *got = &f->client.got;
    size_t messages = 0;
    const uint8_t *at = got->data;
    const uint8_t *end = got->data + got->len;
    while (end - at > FRAME_HEAD && at[0] == 0x81) {
        assert_int_equal(at[1], 126);
        at += FRAME_HEAD + (at[2] << 8 | at[3]);
        messages++;
    }
    id_of(f, messages, id);
    assert_int_equal(at[0], 0x88);
    assert_int_equal(at[2] << 8 | at[3], 1013);
    assert_memory_equal(at + 4, id, strlen(id));
    assert_ptr_equal(at + 4 + strlen(id), end);
}

static void a_quiet_stream_shows_signs_of_life(void **state)
{
    struct fixture *f = *state;
    open_at(f, &f->client, "", "");
    f->client.got.len = 0;
    mcp_rig_advance(&f->rig, TB_EVENTS_KEEPALIVE_MS);
    mcp_rig_advance(&f->rig, TB_EVENTS_KEEPALIVE_MS);
    assert_int_equal(count(mcp_client_heard(&f->client), ": keepalive\n\n"), 2);
}

static void what_is_asked_wrongly_or_of_too_many_is_refused(void **state)
{
    struct fixture *f = *state;
    expect(open_at(f, &f->client, "?type=nonsense", ""), "HTTP/1.1 400 ");
    expect(open_at(f, &f->client, "?kind=browser&types=tab_opened", ""),
           "unknown query parameter \\\"types\\\"; this address takes session, kind, type, after");
    expect(open_at(f, &f->client, "?after=%zz", ""), "HTTP/1.1 400 ");
    f->feed->reader_count += TB_EVENTS_READERS;
    expect(open_at(f, &f->client, "", ""), "HTTP/1.1 503 ");
    f->feed->reader_count -= TB_EVENTS_READERS;
    expect(mcp_client_ask(&f->rig, &f->client, "HEAD /api/events", "", ""), "HTTP/1.1 200 ");
    expect(open_at(f, &f->client, "", ""), "HTTP/1.1 200 ");
}

static void streams_end_well_when_the_daemon_drains(void **state)
{
    struct fixture *f = *state;
    struct mcp_client other;
    mcp_client_open(&f->rig, &other);
    open_at(f, &other, "", UPGRADE);
    open_at(f, &f->client, "", "");
    publish(f, 1);
    tb_router_drain(f->rig.router);
    const char *said = heard(f, &f->client);
    expect(said, "{\"tab\":1}");
    expect(said, "0\r\n\r\n");
    expect(mcp_client_heard(&other) + FRAME_HEAD,
           "{\"tab\":1}}\x88\x18\x03\xe9the daemon is stopping");
    mcp_client_close(&other);
}

/* A daemon that nobody watches does not remember for them. */
static void nothing_is_kept_while_nobody_can_come_for_it(void **state)
{
    struct fixture *f = *state;
    char id[TB_NOTICE_ID_SIZE];
    char query[64];
    const struct tb_notices *notices = &f->feed->notices;
    publish(f, 1); /* somebody may come back after a restart */
    assert_int_equal(notices->next - notices->first, 1);
    tb_clock_manual_advance(&f->rig.clock, TB_EVENTS_START_MS);
    mcp_rig_turn(&f->rig);
    publish(f, 2);
    assert_int_equal(notices->next - notices->first, 0);
    open_at(f, &f->client, "", "");
    publish(f, 3);
    expect(heard(f, &f->client), "\"tab\":3");
    id_of(f, notices->next - 1, id);
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    publish(f, 4);
    mcp_client_open(&f->rig, &f->client);
    snprintf(query, sizeof(query), "?after=%s", id);
    expect(open_at(f, &f->client, query, ""), "\"tab\":4");
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    mcp_rig_advance(&f->rig, TB_EVENTS_AWAY_MS);
    publish(f, 5);
    assert_int_equal(notices->next - notices->first, 0);
    mcp_client_open(&f->rig, &f->client);
    expect(open_at(f, &f->client, query, ""), "\"reason\":\"expired\"");
}

#define IN_OWN "\"_meta\":{\"tabard/conversation\":\"own\"}"

/* As agents without the scope do not see it in the list, so readers do not in what happens: from
 * its start to its end, calls and the driver's own events included. */
static void a_private_session_is_for_those_who_administer(void **state)
{
    static const struct tb_principal_spec spec = {
        .tenant = "default", .key = "weak", .label = "", .scopes = TB_SCOPE_OBSERVE};
    static const char *const types[] = {"session_started", "navigated", "call_done",
                                        "session_ended"};
    struct fixture *f = *state;
    struct mcp_client agent;
    struct mcp_client weak;
    char headers[256];
    tb_auth_add(f->rig.core.auth, &spec, TB_STR("weak"));
    mcp_client_open(&f->rig, &agent);
    mcp_client_open(&f->rig, &weak);
    open_at(f, &f->client, "", "");
    const char *line = strstr(
        mcp_client_ask(&f->rig, &agent, "POST /mcp", "", INITIALIZE("2025-11-25")), "Mcp-Session-");
    snprintf(headers, sizeof(headers), "%.*s", (int)(strstr(line, "\r\n") + 2 - line), line);
    f->rig.door.door = TB_DOOR_MAIN; /* where the same user is nobody in particular */
    open_at(f, &weak, "", "Authorization: Bearer weak\r\n");
    f->rig.door.door = TB_DOOR_UNIX;
    mcp_client_ask(&f->rig, &agent, "POST /mcp", headers,
                   REQUEST(2, "tools/call",
                           "\"name\":\"start_session\",\"arguments\":{\"sessionId\":\"mine\","
                           "\"private\":true}," IN_OWN));
    mcp_client_ask(&f->rig, &agent, "POST /mcp", headers,
                   REQUEST(3, "tools/call",
                           "\"name\":\"browser_navigate\",\"arguments\":{\"url\":"
                           "\"http://x/\"}," IN_OWN));
    const struct tb_caller own = {.who = principal_of("default"), .conversation = "own"};
    struct tb_session *session = tb_sessions_reach(f->rig.core.sessions, &own, TB_STR("mine"));
    assert_non_null(session);
    assert_true(tb_fake_emit(f->rig.fake, tb_session_info(session).id,
                             &(struct tb_event){.type = TB_EVENT_NAVIGATED,
                                                .fields = {tb_field_cstr("url", "http://y/")}}));
    tb_session_end(session, TB_END_CLOSED);
    mcp_rig_turn(&f->rig);
    const char *said = mcp_client_heard(&f->client);
    for (size_t i = 0; i < TB_COUNT(types); i++) {
        expect(said, types[i]);
    }
    assert_int_equal(count(mcp_client_heard(&weak), "event: "), 0);
    mcp_client_close(&weak);
    mcp_client_close(&agent);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_reader_gets_what_happens_with_its_id),
        WITH(a_session_has_its_name_and_kind_and_never_its_id),
        WITH(only_what_fits_comes_and_only_of_the_tenant),
        WITH(who_comes_back_gets_what_it_missed_once),
        WITH(who_has_missed_too_much_is_told),
        WITH(who_does_not_read_is_dropped_with_its_place_and_others_miss_nothing),
        WITH(a_websocket_gets_the_same_as_messages),
        WITH(a_slow_websocket_is_closed_with_its_place),
        WITH(a_quiet_stream_shows_signs_of_life),
        WITH(what_is_asked_wrongly_or_of_too_many_is_refused),
        WITH(streams_end_well_when_the_daemon_drains),
        WITH(a_private_session_is_for_those_who_administer),
        WITH(nothing_is_kept_while_nobody_can_come_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
