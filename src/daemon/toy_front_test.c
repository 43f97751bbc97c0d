/* SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_front.h"

#include "daemon/doors_rig.h"
#include "front/ops/ops.h"
#include "io/http_client.h"

#include "support/heap.h"
#include "support/pattern.h"
#include "support/toy_socket.h"

/* The toy fronts behind the real router and doors, with the real client: what
 * docs/adding-a-front.md promises, and a gigabyte in and out without anybody keeping it. */

#define TOKEN "let-the-toys-in"

enum {
    FLAT_BYTES = 4 << 20, /* all queues and buffers on the way together */
    LOOK_EVERY = 64,      /* pieces */
};

static const uint64_t gigabyte = 1 << 30;

static const struct tb_front *const fronts[] = {&tb_front_ops, &toy_front, &toy_socket, NULL};

static const struct tb_door_row rows[] = {
    {"main", TB_DOOR_MAIN, "listen", NULL, false},
    {"toy", 0, "agent_listen", &toy_front, false},
    {NULL, 0, NULL, NULL, false},
};

struct set {
    struct doors_rig rig;
    struct rig_client client;
    /* A call of the HTTP client. */
    struct tb_http_client *http;
    struct tb_http_call *call;
    struct tb_deferred breath;
    uint64_t size;
    uint64_t sent;
    uint64_t got;
    size_t pieces;
    bool wrong;
    size_t heap_before;
    size_t heap_most;
    int ends;
    int code;
    int status;
    char text[128];
};

static void on_breath(struct tb_deferred *job)
{
    tb_http_call_resume(TB_CONTAINER(job, struct set, breath)->call);
}

static int set_up(void **state)
{
    static struct set set;
    struct tb_err err;
    memset(&set, 0, sizeof(set));
    doors_rig_init(&set.rig);
    tb_auth_set_admin(set.rig.core.auth, TB_STR(TOKEN));
    assert_true(doors_rig_open(&set.rig, fronts, rows, &err));
    rig_client_connect(set.rig.core.loop, tb_doors_port(set.rig.doors, "main"), &set.client);
    set.http = tb_http_client_new(set.rig.core.loop);
    set.breath.run = on_breath;
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    tb_deferred_cancel(&set->breath);
    tb_http_client_free(set->http);
    rig_client_close(&set->client);
    doors_rig_fini(&set->rig);
    return 0;
}

#define BEARER "Authorization: Bearer " TOKEN "\r\n"

static void expect(struct set *set, const char *request, const char *answer)
{
    tb_buf_clear(&set->client.got);
    rig_send(&set->client, request);
    RIG_UNTIL(set->rig.core.loop, rig_got(&set->client, answer));
}

#define HOST " HTTP/1.1\r\nHost: localhost\r\n"

static void errors_have_the_toys_form(void **state)
{
    struct set *set = *state;
    expect(set, "GET /parcels/a" HOST "\r\n", "\r\n\r\nfault unauthorized: a valid token");
    assert_true(rig_got(&set->client, "WWW-Authenticate: Bearer\r\n"));
    expect(set, "GET /parcels" HOST "\r\n", "\r\n\r\nfault not_found: nothing is served");
    expect(set, "PUT /parcels/a" HOST "\r\n", "\r\n\r\nfault method_not_allowed: ");
    assert_true(rig_got(&set->client, "Allow: GET, POST\r\n"));
    expect(set, "GET /nothing" HOST "\r\n", "{\"error\":{\"code\":\"not_found\"");
}

static void pages_are_let_in_by_the_toys_rule(void **state)
{
    struct set *set = *state;
    expect(set,
           "OPTIONS /parcels/a" HOST "Origin: https://toys.example\r\n"
           "Access-Control-Request-Method: POST\r\n\r\n",
           "HTTP/1.1 204 ");
    assert_true(rig_got(&set->client, "Allow-Headers: Authorization, Content-Type\r\n"));
    expect(set, "GET /parcels/a" HOST "Origin: https://else.example\r\n\r\n",
           "\r\n\r\nfault forbidden: parcels are for toys.example only");
    expect(set, "GET /health" HOST "Origin: https://toys.example\r\n\r\n", "HTTP/1.1 403 ");
}

static void the_rest_of_a_path_is_one_argument(void **state)
{
    struct set *set = *state;
    expect(set, "POST /parcels/to/the/inn" HOST BEARER "Content-Length: 3\r\n\r\nabc",
           "\r\n\r\nto/the/inn: 3 bytes, damaged");
}

static void the_door_of_the_toy_counts_its_parcels(void **state)
{
    struct set *set = *state;
    struct rig_client client;
    expect(set, "POST /parcels/a" HOST BEARER "\r\n", "\r\n\r\na: 0 bytes");
    rig_client_connect(set->rig.core.loop, tb_doors_port(set->rig.doors, "toy"), &client);
    RIG_UNTIL(set->rig.core.loop, client.ended);
    assert_true(rig_got(&client, "1 parcels\n"));
    rig_client_close(&client);
}

static void a_head_of_a_parcel_is_answered_without_making_it(void **state)
{
    struct set *set = *state;
    expect(set, "POST /parcels/a" HOST BEARER "Content-Length: 3\r\n\r\nabc", ": 3 bytes");
    expect(set, "HEAD /parcels/a" HOST BEARER "\r\nGET /nothing" HOST "\r\n",
           "Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 404 ");
}

static void no_piece_is_taken_from_a_credential_that_was_revoked(void **state)
{
    static const struct tb_principal_spec weak = {
        .tenant = "default", .key = "weak", .label = "", .scopes = TB_SCOPE_ACT};
    struct set *set = *state;
    tb_auth_add(set->rig.core.auth, &weak, TB_STR("weak"));
    rig_send(&set->client,
             "POST /parcels/a" HOST "Authorization: Bearer weak\r\nExpect: 100-continue\r\n"
             "Content-Length: 4\r\n\r\n");
    RIG_UNTIL(set->rig.core.loop, rig_got(&set->client, "HTTP/1.1 100 "));
    tb_auth_revoke(set->rig.core.auth, "weak");
    tb_loop_turn(set->rig.core.loop, false);
    expect(set, "ab", "fault unauthorized: the credential of this request was revoked");
}

/* A socket. */

#define UPGRADE                                                                  \
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

static void one_path_is_a_page_and_a_socket(void **state)
{
    struct set *set = *state;
    expect(set, "GET /talk" HOST BEARER "\r\n", "\r\n\r\ntalk to me by a socket\n");
    expect(set, "GET /talk" HOST UPGRADE "\r\n", "HTTP/1.1 401 ");
    expect(set, "GET /talk" HOST BEARER UPGRADE "\r\n", "HTTP/1.1 101 ");
    expect(set, "\x81\x82\1\1\1\1ih", "\x81\x02hi");
    doors_rig_drain(&set->rig);
    RIG_UNTIL(set->rig.core.loop, set->client.ended);
}

static void a_socket_ends_with_the_credential_that_opened_it(void **state)
{
    static const struct tb_principal_spec weak = {
        .tenant = "default", .key = "weak", .label = "", .scopes = TB_SCOPE_OBSERVE};
    struct set *set = *state;
    tb_auth_add(set->rig.core.auth, &weak, TB_STR("weak"));
    expect(set, "GET /talk" HOST "Authorization: Bearer weak\r\n" UPGRADE "\r\n", "HTTP/1.1 101 ");
    tb_auth_revoke(set->rig.core.auth, "weak");
    RIG_UNTIL(set->rig.core.loop, set->client.ended);
}

/* A gigabyte. */

static void look_at_heap(struct set *set)
{
    if (set->pieces++ % LOOK_EVERY == 0) {
        size_t now = heap_bytes();
        set->heap_most = now > set->heap_most ? now : set->heap_most;
    }
}

static ssize_t on_read(char *buf, size_t size, void *user)
{
    struct set *set = user;
    uint64_t left = set->size - set->sent;
    size_t len = left < size ? (size_t)left : size;
    pattern_fill(buf, len, set->sent);
    set->sent += len;
    look_at_heap(set);
    return (ssize_t)len;
}

/* Every third piece is refused at first: who is slower than the peer must not make it wait in our
 * memory. */
static bool on_data(struct tb_str piece, void *user)
{
    struct set *set = user;
    look_at_heap(set);
    if (set->pieces % 3 == 0) {
        tb_loop_defer(set->rig.core.loop, &set->breath);
        return false;
    }
    set->wrong = set->wrong || !pattern_fits(piece, set->got);
    set->got += piece.len;
    return true;
}

static void on_end(int code, const struct tb_http_client_response *response,
                   const struct tb_err *err, void *user)
{
    struct set *set = user;
    set->ends++;
    set->code = code;
    set->status = response->status;
    snprintf(set->text, sizeof(set->text), "%.*s%.80s", (int)response->body.len,
             response->body.len ? response->body.ptr : "", code < 0 ? err->text : "");
}

static void call(struct set *set, const char *method, bool up)
{
    static const char *const headers[] = {"Authorization: Bearer " TOKEN, NULL};
    char url[64];
    struct tb_err err;
    snprintf(url, sizeof(url), "%s/parcels/large", tb_doors_address(set->rig.doors));
    struct tb_http_client_request request = {
        .method = method,
        .url = url,
        .headers = headers,
        .timeout_ms = 60000,
        .response_max = 1024,
        .read = up ? on_read : NULL,
        .data = up ? NULL : on_data,
    };
    set->ends = 0;
    set->pieces = 0;
    set->heap_before = set->heap_most = heap_bytes();
    set->call = tb_http_client_send(set->http, &request, on_end, set, &err);
    assert_non_null(set->call);
    while (!set->ends) {
        tb_loop_turn(set->rig.core.loop, true);
    }
    assert_int_equal(set->code, 0);
    assert_true(set->pieces > LOOK_EVERY);
    if (set->heap_most - set->heap_before > FLAT_BYTES) {
        fail_msg("%s: %zu bytes of heap", method, set->heap_most - set->heap_before);
    }
}

static void a_gigabyte_goes_in_and_out_without_being_kept(void **state)
{
    struct set *set = *state;
    set->size = gigabyte;
    call(set, "POST", true);
    assert_string_equal(set->text, "large: 1073741824 bytes");
    assert_int_equal(set->status, 201);
    call(set, "GET", false);
    assert_true(set->got == gigabyte);
    assert_false(set->wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(errors_have_the_toys_form),
        CASE(pages_are_let_in_by_the_toys_rule),
        CASE(the_rest_of_a_path_is_one_argument),
        CASE(the_door_of_the_toy_counts_its_parcels),
        CASE(a_head_of_a_parcel_is_answered_without_making_it),
        CASE(no_piece_is_taken_from_a_credential_that_was_revoked),
        CASE(one_path_is_a_page_and_a_socket),
        CASE(a_socket_ends_with_the_credential_that_opened_it),
        CASE(a_gigabyte_goes_in_and_out_without_being_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
