/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/openapi.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/args.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/tool.h"
#include "front/reply.h"
#include "front/rest/calls.h"
#include "io/http_reply.h"

enum {
    NAME_MAX = 128,
    DOCUMENT_MAX = 4 * TB_MIB,
};

/* A document on its way. */
struct doc {
    const struct tb_route *routes;
    size_t count;
    const struct tb_kit *kit;
    struct tb_json_writer json;
};

static void put_ref(struct tb_json_writer *json, const char *prefix, const char *schema)
{
    char ref[NAME_MAX];
    snprintf(ref, sizeof(ref), "#/components/schemas/%s%s", prefix, schema);
    tb_json_key(json, "schema");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "$ref", ref);
    tb_json_object_close(json);
}

static void put_content(struct tb_json_writer *json, const char *type, const char *prefix,
                        const char *schema)
{
    tb_json_key(json, "content");
    tb_json_object_open(json);
    tb_json_key(json, type);
    tb_json_object_open(json);
    if (schema) {
        put_ref(json, prefix, schema);
    }
    tb_json_object_close(json);
    tb_json_object_close(json);
}

/* Parameters. */

static void put_parameter(struct tb_json_writer *json, const char *in, const struct tb_param *row)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", row->name);
    tb_json_member_cstr(json, "in", in);
    if (row->help && row->help[0]) {
        tb_json_member_cstr(json, "description", row->help);
    }
    if (row->required) {
        tb_json_member_bool(json, "required", true);
    }
    tb_json_key(json, "schema");
    tb_args_row_schema(row, json);
    tb_json_object_close(json);
}

/* Those of the path stand in braces. */
static void put_path_parameters(struct tb_json_writer *json, const char *path)
{
    const char *open = path;
    while ((open = strchr(open, '{'))) {
        char name[NAME_MAX];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(open + 1, "}"), open + 1);
        put_parameter(json, "path",
                      &(struct tb_param){.name = name, .type = TB_PARAM_TEXT, .required = true});
        open++;
    }
}

static void put_headers(struct tb_json_writer *json, bool writes)
{
    static const struct tb_param conversation = {
        .name = "X-Conversation-Id",
        .type = TB_PARAM_TEXT,
        .help = "Calls of one conversation share its session. Without it an admin speaks as the "
                "operator, and other callers share one conversation."};
    static const struct tb_param key = {
        .name = "Idempotency-Key",
        .type = TB_PARAM_TEXT,
        .help = "A request that comes again with the same key is not done again: it gets the "
                "answer of the first one."};
    put_parameter(json, "header", &conversation);
    if (writes) {
        put_parameter(json, "header", &key);
    }
}

/* Of a query: the session stands in the path, and what is no plain value cannot be written. */
static void put_query(struct tb_json_writer *json, const struct tb_param *rows, bool in_path)
{
    for (; rows && rows->name; rows++) {
        bool plain = rows->type != TB_PARAM_OBJECT && rows->type != TB_PARAM_OBJECTS;
        if (plain && !rows->unlisted && !(in_path && strcmp(rows->name, "sessionId") == 0)) {
            put_parameter(json, "query", rows);
        }
    }
}

static void put_parameters(struct doc *doc, const struct tb_route *route, const char *path)
{
    struct tb_json_writer *json = &doc->json;
    tb_json_key(json, "parameters");
    tb_json_array_open(json);
    put_path_parameters(json, path);
    put_query(json, route->doc->query, false);
    if (route->handle == tb_rest_screenshot) {
        struct tb_param rows[TB_TOOL_PARAMS_MAX];
        tb_tool_params(tb_tool_by_op(doc->kit, TB_OP_SCREENSHOT), rows);
        put_query(json, rows, true);
    }
    put_headers(json, strcmp(route->method, "GET") != 0);
    tb_json_array_close(json);
}

/* Bodies. */

static void open_body(struct tb_json_writer *json, bool required)
{
    tb_json_key(json, "requestBody");
    tb_json_object_open(json);
    if (required) {
        tb_json_member_bool(json, "required", true);
    }
}

static bool needs_any(const struct tb_param *rows)
{
    for (; rows && rows->name; rows++) {
        if (rows->required) {
            return true;
        }
    }
    return false;
}

static void put_tool_body(struct tb_json_writer *json, const struct tb_tool *tool)
{
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, rows);
    open_body(json, needs_any(rows));
    put_content(json, "application/json", "Arguments_", tool->name);
    tb_json_object_close(json);
}

static void put_body(struct doc *doc, const struct tb_route *route)
{
    struct tb_json_writer *json = &doc->json;
    const struct tb_route_doc *about = route->doc;
    if (route->handle == tb_rest_session_start) {
        put_tool_body(json, doc->kit->starter);
    } else if (about->takes) {
        open_body(json, false);
        put_content(json, "application/json", "", about->takes);
        tb_json_object_close(json);
    } else if (about->body) {
        open_body(json, needs_any(about->body));
        tb_json_key(json, "content");
        tb_json_object_open(json);
        tb_json_key(json, "application/json");
        tb_json_object_open(json);
        tb_json_key(json, "schema");
        tb_args_schema(about->body, json);
        tb_json_object_close(json);
        tb_json_object_close(json);
        tb_json_object_close(json);
    }
}

/* Operations. */

static void put_response(struct tb_json_writer *json, const char *status, const char *words,
                         const char *type, const char *schema)
{
    tb_json_key(json, status);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "description", words);
    put_content(json, type, "", schema);
    tb_json_object_close(json);
}

static void put_responses(struct tb_json_writer *json, const struct tb_route_doc *about)
{
    char status[8];
    snprintf(status, sizeof(status), "%d", about->status ? about->status : 200);
    tb_json_key(json, "responses");
    tb_json_object_open(json);
    put_response(json, status, "It is done.", about->type ? about->type : "application/json",
                 about->gives);
    put_response(json, "default", "It could not be done.", TB_HTTP_PROBLEM_TYPE,
                 about->gives && strcmp(about->gives, "Result") == 0 ? "FailedResult" : "Problem");
    tb_json_object_close(json);
}

/* Its name, or that of the tool which it calls. */
static void put_operation(struct doc *doc, const struct tb_route *route, const char *path,
                          const struct tb_tool *tool)
{
    struct tb_json_writer *json = &doc->json;
    char method[16];
    size_t len = 0;
    for (; route->method[len] && len + 1 < sizeof(method); len++) {
        method[len] = (char)tolower((unsigned char)route->method[len]);
    }
    method[len] = '\0';
    tb_json_key(json, method);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "operationId", tool ? tool->name : route->doc->name);
    tb_json_member_cstr(json, "summary", tool ? tool->description : route->doc->summary);
    put_parameters(doc, route, path);
    if (tool) {
        put_tool_body(json, tool);
    } else {
        put_body(doc, route);
    }
    put_responses(json, route->doc);
    tb_json_object_close(json);
}

static bool is_first_of_path(const struct doc *doc, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (doc->routes[i].doc && strcmp(doc->routes[i].path, doc->routes[at].path) == 0) {
            return false;
        }
    }
    return true;
}

static void put_tools(struct doc *doc, const struct tb_route *route)
{
    for (const struct tb_tool *const *tool = doc->kit->tools; *tool; tool++) {
        char path[NAME_MAX];
        snprintf(path, sizeof(path), "%.*s%s", (int)strcspn(route->path, "{"), route->path,
                 (*tool)->name);
        tb_json_key(&doc->json, path);
        tb_json_object_open(&doc->json);
        put_operation(doc, route, path, *tool);
        tb_json_object_close(&doc->json);
    }
}

static void put_paths(struct doc *doc)
{
    tb_json_key(&doc->json, "paths");
    tb_json_object_open(&doc->json);
    for (size_t i = 0; i < doc->count; i++) {
        const struct tb_route *route = &doc->routes[i];
        if (!route->doc || !is_first_of_path(doc, i)) {
            continue;
        }
        tb_json_key(&doc->json, route->path);
        tb_json_object_open(&doc->json);
        for (size_t j = i; j < doc->count; j++) {
            if (doc->routes[j].doc && strcmp(doc->routes[j].path, route->path) == 0) {
                put_operation(doc, &doc->routes[j], route->path, NULL);
            }
        }
        tb_json_object_close(&doc->json);
        if (route->handle == tb_rest_tool_call) {
            put_tools(doc, route);
        }
    }
    tb_json_object_close(&doc->json);
}

/* The rest. */

static void put_info(struct tb_json_writer *json)
{
    tb_json_member_cstr(json, "openapi", "3.1.0");
    tb_json_key(json, "info");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "title", "tabard");
    tb_json_member_cstr(json, "version", TABARD_VERSION);
    tb_json_member_cstr(json, "summary", "Browser sessions for agents.");
    tb_json_key(json, "license");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "name", "Apache-2.0");
    tb_json_member_cstr(json, "identifier", "Apache-2.0");
    tb_json_object_close(json);
    tb_json_object_close(json);
    tb_json_member_raw(json, "servers", TB_STR("[{\"url\":\"/\"}]"));
    tb_json_member_raw(json, "security", TB_STR("[{\"token\":[]}]"));
}

static void put_components(struct doc *doc)
{
    struct tb_json_writer *json = &doc->json;
    tb_json_key(json, "components");
    tb_json_object_open(json);
    tb_json_member_raw(json, "securitySchemes",
                       TB_STR("{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}"));
    tb_json_key(json, "schemas");
    tb_json_object_open(json);
    for (const struct tb_rest_schema *schema = tb_rest_schemas; schema->name; schema++) {
        tb_json_key(json, schema->name);
        tb_args_open_schema(schema->members, json);
    }
    for (const struct tb_tool *const *tool = doc->kit->tools; *tool; tool++) {
        struct tb_param rows[TB_TOOL_PARAMS_MAX];
        char name[NAME_MAX];
        snprintf(name, sizeof(name), "Arguments_%s", (*tool)->name);
        tb_tool_params(*tool, rows);
        tb_json_key(json, name);
        tb_args_schema(rows, json);
    }
    tb_json_object_close(json);
    tb_json_object_close(json);
}

void tb_rest_openapi_reply(struct tb_front_req *req, const struct tb_route *routes, size_t count)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(DOCUMENT_MAX);
    struct doc doc = {.routes = routes, .count = count, .kit = req->core->views.kit};
    tb_json_writer_init(&doc.json, &text);
    tb_json_object_open(&doc.json);
    put_info(&doc.json);
    put_paths(&doc);
    put_components(&doc);
    tb_json_object_close(&doc.json);
    if (doc.json.rc < 0) {
        tb_reply_error(req, TB_E_INTERNAL, "the document is too large");
    } else {
        tb_reply_json(req, 200, tb_buf_str(&text));
    }
}
