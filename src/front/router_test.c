/* SPDX-License-Identifier: Apache-2.0 */
#include "front/router.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "core/auth.h"
#include "core/config.h"
#include "core/limits.h"
#include "front/reply.h"
#include "io/client_rig.h"

static void patterns_take_whole_segments(void **state)
{
    static const struct {
        const char *pattern;
        const char *path;
        bool fits;
    } cases[] = {
        {"/health", "/health", true},
        {"/health", "/health/", false},
        {"/health", "/healthy", false},
        {"/health", "/HEALTH", false},
        {"/", "/", true},
        {"/", "", false},
        {"/", "/x", false},
        {"/api/sessions/{id}", "/api/sessions/7", true},
        {"/api/sessions/{id}", "/api/sessions/", false},
        {"/api/sessions/{id}", "/api/sessions", false},
        {"/api/sessions/{id}", "/api/sessions/7/x", false},
        {"/api/{a}/{b}/end", "/api/1/2/end", true},
        {"/api/{a}/{b}/end", "/api//2/end", false},
        {"/files/{path...}", "/files/a", true},
        {"/files/{path...}", "/files/a/b//c/", true},
        {"/files/{path...}", "/files/", true},
        {"/files/{path...}", "/files", false},
        {"/files/{path...}", "/file/a", false},
        {"/{path...}", "/", true},
        {"/{a}/{rest...}", "/1/2/3", true},
        {"/{a}/{rest...}", "//2", false},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_str args[TB_ROUTE_ARGS] = {{0}};
        if (tb_route_match(cases[i].pattern, tb_str_of(cases[i].path), args) != cases[i].fits) {
            fail_msg("%s against %s", cases[i].pattern, cases[i].path);
        }
    }
}

static void arguments_come_in_their_order(void **state)
{
    struct tb_str args[TB_ROUTE_ARGS] = {{0}};
    (void)state;
    assert_true(tb_route_match("/a/{x}/b/{y}", TB_STR("/a/one/b/two%20"), args));
    assert_true(tb_str_eq_cstr(args[0], "one"));
    assert_true(tb_str_eq_cstr(args[1], "two%20"));
    assert_true(tb_route_match("/a/{x}/{rest...}", TB_STR("/a/one/../two//%2f/"), args));
    assert_true(tb_str_eq_cstr(args[0], "one"));
    assert_true(tb_str_eq_cstr(args[1], "../two//%2f/"));
    assert_true(tb_route_match("/{rest...}", TB_STR("/"), args));
    assert_int_equal(args[0].len, 0);
}

static void more_arguments_than_places_do_not_match(void **state)
{
    struct tb_str args[TB_ROUTE_ARGS] = {{0}};
    (void)state;
    assert_false(tb_route_match("/{a}/{b}/{c}/{d}/{e}", TB_STR("/1/2/3/4/5"), args));
    assert_false(tb_route_match("/{a}/{b}/{c}/{d}/{e...}", TB_STR("/1/2/3/4/5"), args));
}

/* Two fronts behind a router. What a handler was and got is its answer. */

static void echo(struct tb_front_req *req)
{
    char text[256];
    snprintf(text, sizeof(text), "%s %s [%.*s] [%.*s] %.*s %s", req->route->method,
             req->route->path, TB_STR_ARG(req->args[0]), TB_STR_ARG(req->args[1]),
             TB_STR_ARG(tb_http_req_body(req->http)),
             req->route->flags & TB_ROUTE_UPGRADE ? "socket" : "");
    tb_reply_text(req, 200, "text/plain", tb_str_of(text));
}

static int allow_friend(const struct tb_front_req *req, struct tb_err *err)
{
    struct tb_str origin = tb_http1_header(tb_http_req_head(req->http), "Origin");
    return tb_str_eq_cstr(origin, "https://friend.example")
               ? 0
               : tb_fail(err, TB_E_FORBIDDEN, "no friend of ours");
}

static const struct tb_cors friends = {allow_friend, "X-Friend", "X-Gift"};

static void fail_shortly(struct tb_front_req *req, int code, const char *text)
{
    char line[128];
    snprintf(line, sizeof(line), "ERR %s: %.60s", tb_err_info(code)->wire, text);
    tb_reply_text(req, tb_err_info(code)->http_status, "text/x-error", tb_str_of(line));
}

static void count_piece(struct tb_front_req *req, struct tb_str piece)
{
    *(size_t *)req->state += piece.len;
    if (*(size_t *)req->state > 1 << 20) {
        tb_reply_fail(req, TB_E_TOO_LARGE, "a megabyte is enough");
    }
}

static void tell_count(struct tb_front_req *req)
{
    char text[32];
    snprintf(text, sizeof(text), "%zu bytes", *(size_t *)req->state);
    assert_int_equal(tb_http_req_body(req->http).len, 0);
    tb_reply_text(req, 200, "text/plain", tb_str_of(text));
}

static int start_counting(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    (void)core;
    (void)err;
    *ret_state = TB_NEW(size_t);
    return 0;
}

#define OPEN .doors = TB_DOORS_ALL

/* The particular ones stand last, so that the order of rows alone would choose wrongly. */
static const struct tb_route plain_routes[] = {
    {"GET", "/{all...}", OPEN, .handle = echo},
    {"GET", "/things/{id}", OPEN, .handle = echo},
    {"GET", "/things/special", OPEN, .handle = echo},
    {"POST", "/things/special", OPEN, .handle = echo},
    {"POST", "/things/{id}", OPEN, .handle = echo, .accepts = "text/plain, image/png"},
    {"PUT", "/things/special", OPEN, .handle = echo, .accepts = "*"},
    {"GET", "/both", OPEN, .handle = echo},
    {"GET", "/both", OPEN, .handle = echo, .flags = TB_ROUTE_UPGRADE},
};

static const struct tb_front plain = {
    .name = "plain",
    .routes = plain_routes,
    .route_count = TB_COUNT(plain_routes),
};

static const struct tb_route own_routes[] = {
    {"POST", "/own/count", OPEN, .handle = tell_count, .body = count_piece,
     .flags = TB_ROUTE_STREAM, .accepts = "*"},
    {"GET", "/own/socket", OPEN, .handle = echo, .flags = TB_ROUTE_UPGRADE},
    {"GET", "/own/secret", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_ALL, .handle = echo},
};

static const struct tb_front own = {
    .name = "own",
    .routes = own_routes,
    .route_count = TB_COUNT(own_routes),
    .prefix = "/own",
    .cors = &friends,
    .fail = fail_shortly,
    .start = start_counting,
    .stop = tb_free,
};

struct set {
    struct tb_clock_manual clock;
    struct tb_config config;
    struct tb_log log;
    struct tb_core core;
    struct tb_router *router;
    struct tb_router_door door;
    struct tb_http_server *server;
    struct rig_client client;
};

static void open_client(struct set *set)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    tb_http_server_add_take(set->server, tb_stream_open_fd_take(set->core.loop, fds[0]));
    memset(&set->client, 0, sizeof(set->client));
    tb_buf_init(&set->client.got, 1 << 20);
    set->client.stream = tb_stream_open_fd_take(set->core.loop, fds[1]);
    tb_stream_set_send_max(set->client.stream, 64 << 20);
    tb_stream_start(set->client.stream, &rig_client_ops, &set->client);
}

static void serve(struct set *set, const struct tb_front *const *fronts)
{
    static const struct tb_http_server_limits limits = {
        .parser = {.line_max = TB_HTTP_LINE_MAX,
                   .head_max = TB_HTTP_HEAD_MAX,
                   .header_count = TB_HTTP_HEADER_COUNT,
                   .body_max = TB_HTTP_BODY_MAX,
                   .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX},
        .connections_max = 10,
        .send_max = TB_SEND_QUEUE_MAX,
    };
    tb_clock_manual_init(&set->clock);
    tb_config_init(&set->config);
    tb_log_init(&set->log, TB_LOG_ERROR, STDERR_FILENO, &set->clock.clock);
    set->core =
        (struct tb_core){.clock = &set->clock.clock, .log = &set->log, .config = &set->config};
    set->core.loop = tb_loop_new(set->core.clock);
    tb_bus_init(&set->core.bus);
    set->core.auth = tb_auth_new(set->core.loop);
    set->router = tb_router_new(&set->core, fronts);
    assert_int_equal(tb_router_start(set->router, NULL), 0);
    set->door = (struct tb_router_door){set->router, TB_DOOR_MAIN};
    set->server = tb_http_server_new(set->core.loop, &limits, tb_router_ops(), &set->door);
    open_client(set);
}

static int set_up(void **state)
{
    static const struct tb_front *const fronts[] = {&plain, &own, NULL};
    static struct set set;
    serve(&set, fronts);
    *state = &set;
    return 0;
}

/* Without the front that takes every path. */
static int set_up_own(void **state)
{
    static const struct tb_front *const fronts[] = {&own, NULL};
    static struct set set;
    serve(&set, fronts);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    rig_client_close(&set->client);
    tb_http_server_free(set->server);
    tb_router_free(set->router);
    tb_auth_free(set->core.auth);
    tb_loop_free(set->core.loop);
    tb_config_fini(&set->config);
    tb_log_fini(&set->log);
    return 0;
}

#define SOCKET                                                                   \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

/* `line` is "GET /path", `headers` whole lines. All of `wanted`, which ends with NULL, must be in
 * the answer. */
static void ask(struct set *set, const char *line, const char *headers, const char *body,
                const char *const *wanted)
{
    TB_AUTO(tb_free)
    char *request = tb_strdupf("%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n%s",
                               line, headers, strlen(body), body);
    rig_client_close(&set->client);
    open_client(set);
    rig_send(&set->client, request);
    RIG_UNTIL(set->core.loop, rig_got(&set->client, "\r\n\r\n"));
    for (; *wanted; wanted++) {
        if (!rig_got(&set->client, *wanted)) {
            fail_msg("%s: no '%s' in '%.*s'", line, *wanted, (int)set->client.got.len,
                     (const char *)set->client.got.data);
        }
    }
}

#define EXPECT(line, headers, body, ...) \
    ask(set, line, headers, body, (const char *const[]){__VA_ARGS__, NULL})
#define TEXT "Content-Type: text/plain\r\n"

static void the_most_particular_row_that_fits_gets_the_request(void **state)
{
    struct set *set = *state;
    EXPECT("GET /things/special", "", "", "GET /things/special [] []");
    EXPECT("GET /things/7", "", "", "GET /things/{id} [7] []");
    EXPECT("GET /things/7/parts", "", "", "GET /{all...} [things/7/parts] []");
    EXPECT("GET /", "", "", "GET /{all...} [] []");
    EXPECT("POST /things/7", TEXT, "x", "POST /things/{id} [7]");
    EXPECT("DELETE /things/special", "", "", " 405 ", "Allow: GET, POST, PUT\r\n");
    EXPECT("POST /elsewhere", "", "", " 405 ", "Allow: GET\r\n");
}

static void a_socket_and_a_page_can_share_a_path(void **state)
{
    struct set *set = *state;
    EXPECT("GET /both", "", "", "GET /both [] []  ");
    assert_false(rig_got(&set->client, "socket"));
    EXPECT("GET /both", SOCKET, "", "GET /both [] []  socket");
    EXPECT("GET /things/7", SOCKET, "", "GET /things/{id} [7]");
}

static void a_path_for_sockets_only_says_so(void **state)
{
    struct set *set = *state;
    EXPECT("GET /own/socket", SOCKET, "", "GET /own/socket [] []  socket");
    EXPECT("GET /own/socket", "", "", " 400 ",
           "ERR invalid_request: this address takes only WebSocket connections");
}

static void a_body_is_of_a_type_that_the_row_accepts(void **state)
{
    struct set *set = *state;
    EXPECT("POST /things/7", TEXT, "hi", " 200 ", "] hi ");
    EXPECT("POST /things/7", "Content-Type: IMAGE/png; x=y\r\n", "hi", " 200 ");
    EXPECT("POST /things/7", "Content-Type: application/json\r\n", "{}", " 415 ",
           "the body must be text/plain, image/png, not \\\"application/json\\\"");
    EXPECT("POST /things/special", TEXT, "hi", " 415 ", "must be application/json, not");
    EXPECT("PUT /things/special", TEXT, "hi", " 200 ");
    EXPECT("PUT /things/special", "", "hi", " 200 ", "] hi ");
}

static void errors_have_the_form_of_the_front_whose_path_it_is(void **state)
{
    struct set *set = *state;
    EXPECT("GET /own/nothing", "", "", " 404 ", "Content-Type: text/x-error",
           "ERR not_found: nothing is served at \"/own/nothing\"");
    EXPECT("GET /own", "", "", "ERR not_found");
    EXPECT("GET /owner", "", "", " 404 ", "{\"error\":{\"code\":\"not_found\"");
    EXPECT("DELETE /own/count", "", "", " 405 ", "Allow: POST\r\n",
           "ERR method_not_allowed: this address takes only POST");
    EXPECT("GET /own/secret", "", "", " 401 ", "WWW-Authenticate: Bearer\r\n",
           "ERR unauthorized: a valid token is required");
    EXPECT("GET /own/secret", "Origin: https://foe.example\r\n", "", " 403 ",
           "ERR forbidden: no friend of ours");
}

static void each_front_has_its_own_rule_for_pages(void **state)
{
    struct set *set = *state;
    const char *friend = "Origin: https://friend.example\r\n";
    EXPECT("POST /own/count", friend, "", " 200 ",
           "Access-Control-Allow-Origin: https://friend.example\r\nVary: Origin\r\n"
           "Access-Control-Expose-Headers: X-Gift\r\n");
    EXPECT("OPTIONS /own/count",
           "Origin: https://friend.example\r\nAccess-Control-Request-Method: POST\r\n", "", " 204 ",
           "Access-Control-Allow-Methods: POST\r\nAccess-Control-Allow-Headers: X-Friend\r\n");
    EXPECT("OPTIONS /own/count",
           "Origin: https://foe.example\r\nAccess-Control-Request-Method: POST\r\n", "", " 403 ");
    assert_false(rig_got(&set->client, "Access-Control"));
    EXPECT("POST /own/count",
           "Origin: https://friend.example\r\nOrigin: https://friend.example\r\n", "", " 403 ");
}

static void a_front_without_a_rule_takes_no_page(void **state)
{
    struct set *set = *state;
    EXPECT("GET /things/7", "", "", " 200 ");
    EXPECT("GET /things/7", "Origin: http://localhost\r\n", "", " 403 ");
    assert_false(rig_got(&set->client, "Access-Control"));
}

static void a_streamed_body_comes_in_pieces_and_has_no_ceiling_but_the_fronts(void **state)
{
    struct set *set = *state;
    EXPECT("POST /own/count", "", "four", " 200 ", "4 bytes");
    rig_send(&set->client, "POST /own/count HTTP/1.1\r\nHost: localhost\r\n"
                           "Content-Length: 99999999999\r\n\r\n");
    uint8_t *bytes = tb_zalloc(2 << 20);
    tb_stream_write_take(set->client.stream, bytes, 2 << 20);
    RIG_UNTIL(set->core.loop, rig_got(&set->client, "\r\n\r\nERR "));
    assert_true(rig_got(&set->client, " 413 "));
    assert_true(rig_got(&set->client, "ERR too_large: a megabyte is enough"));
}

/* What is told of those that are turned away. */

struct heard {
    struct tb_subscriber subscriber;
    int told;        /* one by one */
    int64_t besides; /* how many more there were */
    char last[256];
};

static void put_field(const struct tb_event *event, const char *name, struct tb_buf *line)
{
    const struct tb_field *field = tb_event_field(event, name);
    if (field) {
        tb_buf_printf(line, " %s=%.*s", name, TB_STR_ARG(field->text));
    }
}

static void on_refused(const struct tb_event *event, void *user)
{
    struct heard *heard = user;
    const struct tb_field *count = tb_event_field(event, "count");
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(sizeof(heard->last));
    assert_string_equal(event->tenant, "default");
    if (count) {
        heard->besides += count->number;
        return;
    }
    heard->told++;
    assert_non_null(tb_event_field(event, "peer"));
    tb_buf_printf(&line, "%s %s", tb_event_name(event->type), event->outcome);
    put_field(event, "host", &line);
    put_field(event, "origin", &line);
    put_field(event, "route", &line);
    put_field(event, "key", &line);
    snprintf(heard->last, sizeof(heard->last), "%.*s", TB_STR_ARG(tb_buf_str(&line)));
}

static void listen_to(struct set *set, struct heard *heard)
{
    *heard = (struct heard){.subscriber = {.fn = on_refused, .user = heard}};
    tb_bus_subscribe(&set->core.bus, &heard->subscriber);
}

#define FOE "Origin: https://foe.example\r\n"

static void who_is_turned_away_is_told(void **state)
{
    struct set *set = *state;
    struct heard heard;
    listen_to(set, &heard);
    EXPECT("GET /things/7", FOE, "", " 403 ");
    assert_string_equal(heard.last,
                        "caller_refused forbidden host=localhost origin=https://foe.example");
    EXPECT("GET /own/secret", "Authorization: Bearer guess\r\n", "", " 401 ");
    assert_string_equal(heard.last, "credential_refused unauthorized route=/own/secret");
    EXPECT("GET /own/secret", "Authorization: Bearer tbk_0123456789ab_rest\r\n", "", " 401 ");
    assert_string_equal(heard.last,
                        "credential_refused unauthorized route=/own/secret key=tbk_0123456789ab");
    EXPECT("GET /own/secret", "Authorization: Bearer tbk_0123456789AB_rest\r\n", "", " 401 ");
    assert_string_equal(heard.last, "credential_refused unauthorized route=/own/secret");
    EXPECT("GET /things/7", "", "", " 200 ");
    assert_int_equal(heard.told, 4);
    tb_bus_unsubscribe(&heard.subscriber);
}

static void of_a_flood_a_hundred_are_told_and_then_how_many_more_there_were(void **state)
{
    struct set *set = *state;
    struct heard heard;
    listen_to(set, &heard);
    for (int i = 0; i < TB_FLOOD_TOLD + 50; i++) {
        EXPECT("GET /things/7", FOE, "", " 403 ");
    }
    assert_int_equal(heard.told, TB_FLOOD_TOLD);
    EXPECT("GET /own/secret", "", "", " 401 "); /* of another sort */
    assert_int_equal(heard.told, TB_FLOOD_TOLD + 1);
    assert_int_equal(heard.besides, 0);
    tb_clock_manual_advance(&set->clock, TB_FLOOD_MS);
    tb_loop_turn(set->core.loop, false);
    assert_int_equal(heard.besides, 50);
    EXPECT("GET /things/7", FOE, "", " 403 ");
    assert_int_equal(heard.told, TB_FLOOD_TOLD + 2);
    tb_clock_manual_advance(&set->clock, TB_FLOOD_MS);
    tb_loop_turn(set->core.loop, false);
    assert_int_equal(heard.besides, 50);
    tb_bus_unsubscribe(&heard.subscriber);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_take_whole_segments),
        cmocka_unit_test(arguments_come_in_their_order),
        cmocka_unit_test(more_arguments_than_places_do_not_match),
#define CASE(name)     cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CASE_OWN(name) cmocka_unit_test_setup_teardown(name, set_up_own, tear_down)
        CASE(the_most_particular_row_that_fits_gets_the_request),
        CASE(a_socket_and_a_page_can_share_a_path),
        CASE_OWN(a_path_for_sockets_only_says_so),
        CASE(a_body_is_of_a_type_that_the_row_accepts),
        CASE_OWN(errors_have_the_form_of_the_front_whose_path_it_is),
        CASE_OWN(each_front_has_its_own_rule_for_pages),
        CASE(a_front_without_a_rule_takes_no_page),
        CASE_OWN(a_streamed_body_comes_in_pieces_and_has_no_ceiling_but_the_fronts),
        CASE(who_is_turned_away_is_told),
        CASE(of_a_flood_a_hundred_are_told_and_then_how_many_more_there_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
