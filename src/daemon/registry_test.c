/* SPDX-License-Identifier: Apache-2.0 */
/* Every route of every front, with each credential that should not do. */
#include "daemon/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "front/mcp/fixtures/fixtures.h"

#include "support/mcp_rig.h"

static const enum tb_door doors[] = {TB_DOOR_MAIN, TB_DOOR_AGENT, TB_DOOR_UNIX};

static const char websocket[] = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/* The path with something in the place of each name. */
static char *fill(const char *pattern)
{
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(SIZE_MAX);
    for (const char *at = pattern; *at; at++) {
        if (*at == '{') {
            tb_buf_append_cstr(&path, "some");
            at = strchr(at, '}');
        } else {
            tb_buf_append_char(&path, *at);
        }
    }
    return tb_str_dup(tb_buf_str(&path));
}

static int status_of(struct mcp_rig *rig, const struct tb_route *route, const char *headers)
{
    struct mcp_client client;
    TB_AUTO(tb_free) char *path = fill(route->path);
    TB_AUTO(tb_free) char *line = tb_strdupf("%s %s", route->method, path);
    TB_AUTO(tb_free)
    char *all = tb_strdupf("%s%s", headers, route->flags & TB_ROUTE_UPGRADE ? websocket : "");
    bool has_body = strcmp(route->method, "POST") == 0;
    mcp_client_open(rig, &client);
    const char *said = mcp_client_ask(rig, &client, line, all, has_body ? "{}" : "");
    uint64_t status = 0;
    if (strncmp(said, "HTTP/1.1 ", 9) == 0) {
        tb_str_to_u64((struct tb_str){said + 9, 3}, &status);
    }
    mcp_client_close(&client);
    mcp_rig_turn(rig);
    return (int)status;
}

static void expect(struct mcp_rig *rig, const struct tb_route *route, const char *secret, int want)
{
    TB_AUTO(tb_free) char *headers = tb_strdupf("Authorization: Bearer %s\r\n", secret);
    int status = status_of(rig, route, secret[0] ? headers : "");
    bool refused = status == 401 || status == 403;
    if (want ? status != want : (refused || !status)) {
        fail_msg("%s %s at door %d with '%s' gives %d", route->method, route->path,
                 (int)rig->door.door, secret, status);
    }
}

static void add(struct mcp_rig *rig, const char *secret, unsigned scopes)
{
    const struct tb_principal_spec spec = {
        .tenant = "default", .key = secret, .label = "", .scopes = scopes};
    tb_auth_add(rig->core.auth, &spec, tb_str_of(secret));
}

static void walk_route(struct mcp_rig *rig, const struct tb_route *route)
{
    bool same_user =
        rig->door.door == TB_DOOR_UNIX && (route->credentials & TB_CREDENTIAL_SAME_USER);
    if (!(route->doors & rig->door.door)) {
        return;
    }
    if (!route->scope || same_user) {
        expect(rig, route, "", 0);
        return;
    }
    add(rig, "weaker", TB_SCOPES_ALL & ~route->scope);
    add(rig, "none", 0);
    add(rig, "fitting", route->scope);
    expect(rig, route, "", 401);
    expect(rig, route, "wrong", 401);
    expect(rig, route, "weaker", 403);
    expect(rig, route, "none", 403);
    expect(rig, route, "fitting", 0);
    tb_auth_revoke(rig->core.auth, "fitting");
    mcp_rig_turn(rig);
    expect(rig, route, "fitting", 401);
    mcp_rig_advance(rig, 60000); /* wrong ones are forgiven */
}

/* How many routes need a credential. */
static size_t walk(const struct tb_front *const *fronts)
{
    struct mcp_rig *rig = TB_NEW(struct mcp_rig);
    size_t guarded = 0;
    mcp_rig_init(rig);
    rig->fronts = fronts;
    mcp_rig_serve(rig);
    for (size_t d = 0; d < TB_COUNT(doors); d++) {
        rig->door.door = doors[d];
        for (size_t f = 0; fronts[f]; f++) {
            for (size_t i = 0; i < fronts[f]->route_count; i++) {
                walk_route(rig, &fronts[f]->routes[i]);
                guarded += fronts[f]->routes[i].scope != 0;
            }
        }
    }
    mcp_rig_turn(rig);
    mcp_rig_fini(rig);
    tb_free(rig);
    return guarded;
}

static void no_route_is_open_to_a_missing_wrong_or_weaker_credential(void **state)
{
    static const struct tb_front *const fixtures[] = {&tb_front_mcp_fixtures, NULL};
    (void)state;
    assert_true(walk(tb_registry_fronts()) > TB_COUNT(doors) * 10);
    assert_int_equal(walk(fixtures), TB_COUNT(doors));
}

/* To whom nothing but health and the greeting is open, whatever is added later. */
static void only_two_routes_ask_for_nothing(void **state)
{
    (void)state;
    for (const struct tb_front *const *front = tb_registry_fronts(); *front; front++) {
        for (size_t i = 0; i < (*front)->route_count; i++) {
            const struct tb_route *route = &(*front)->routes[i];
            bool open = !(route->flags & TB_ROUTE_UPGRADE) &&
                        (strcmp(route->path, "/") == 0 || strcmp(route->path, "/health") == 0);
            assert_int_equal(open, route->scope == 0);
            assert_int_equal(open, route->credentials == TB_CREDENTIAL_NONE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_route_is_open_to_a_missing_wrong_or_weaker_credential),
        cmocka_unit_test(only_two_routes_ask_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
