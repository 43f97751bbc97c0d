/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "core/limits.h"
#include "daemon/doors.h"
#include "daemon/registry.h"

static const char *access_name(const struct tb_route *route)
{
    if (!route->scope) {
        return "open";
    }
    return route->credentials & TB_CREDENTIAL_BEARER ? "token" : "same-user";
}

static const struct {
    unsigned flag;
    const char *name;
} flag_names[] = {
    {TB_ROUTE_UPGRADE, "websocket"},
    {TB_ROUTE_STREAM, "stream"},
};

static void put_json(struct tb_json_writer *json, const struct tb_front *front,
                     const struct tb_route *route)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "method", route->method);
    tb_json_member_cstr(json, "path", route->path);
    tb_json_member_cstr(json, "access", access_name(route));
    if (route->scope) {
        tb_json_member_cstr(json, "scope", tb_scope_name(route->scope));
    }
    tb_json_key(json, "doors");
    tb_json_array_open(json);
    for (const struct tb_door_row *row = tb_doors_rows(); row->name; row++) {
        if (route->doors & row->bit) {
            tb_json_put_cstr(json, row->name);
        }
    }
    tb_json_array_close(json);
    tb_json_member_cstr(json, "accepts", route->accepts ? route->accepts : "application/json");
    tb_json_key(json, "flags");
    tb_json_array_open(json);
    for (size_t i = 0; i < TB_COUNT(flag_names); i++) {
        if (route->flags & flag_names[i].flag) {
            tb_json_put_cstr(json, flag_names[i].name);
        }
    }
    tb_json_array_close(json);
    tb_json_member_cstr(json, "front", front->name);
    tb_json_object_close(json);
}

/* A line; what most rows leave out stands behind the rest. */
static void print_row(const struct tb_route *route)
{
    printf("%-7s %-40s %s", route->method, route->path, access_name(route));
    if (route->scope) {
        printf(" %s", tb_scope_name(route->scope));
    }
    for (size_t i = 0; i < TB_COUNT(flag_names); i++) {
        if (route->flags & flag_names[i].flag) {
            printf(" %s", flag_names[i].name);
        }
    }
    printf("%s%s\n", route->accepts ? " " : "", route->accepts ? route->accepts : "");
}

static int run(int argc, char **argv)
{
    bool as_json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 1 && !as_json) {
        fprintf(
            stderr,
            "tabard routes: unexpected argument \'%s\'; \'tabard help routes\' lists the options\n",
            argv[1]);
        return 2;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    for (const struct tb_front *const *front = tb_registry_fronts(); *front; front++) {
        for (size_t i = 0; i < (*front)->route_count; i++) {
            const struct tb_route *route = &(*front)->routes[i];
            put_json(&json, *front, route);
            if (!as_json) {
                print_row(route);
            }
        }
    }
    tb_json_array_close(&json);
    if (as_json) {
        printf("%.*s\n", TB_STR_ARG(tb_buf_str(&text)));
    }
    return 0;
}

const struct tb_command tb_cmd_routes = {
    .name = "routes",
    .arguments = "[--json]",
    .summary = "List the daemon's HTTP routes and who may call each.",
    .run = run,
};
