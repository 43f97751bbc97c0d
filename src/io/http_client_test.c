/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_client.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/http_rig.h"

struct outcome {
    struct tb_http_client *to_free; /* inside the callback */
    int calls;
    int code;
    int status;
    char type[64];
    char text[512];
    struct tb_buf body;
};

struct set {
    struct rig rig;
    struct tb_http_client *client;
    struct outcome outcome;
};

static void on_answer(int code, const struct tb_http_client_response *response,
                      const struct tb_err *err, void *user)
{
    struct outcome *outcome = user;
    outcome->calls++;
    outcome->code = code;
    outcome->status = response->status;
    snprintf(outcome->type, sizeof(outcome->type), "%s",
             response->content_type ? response->content_type : "");
    snprintf(outcome->text, sizeof(outcome->text), "%s", code < 0 ? err->text : "");
    tb_buf_clear(&outcome->body);
    tb_buf_append_str(&outcome->body, response->body);
    tb_http_client_free(outcome->to_free);
}

static void reply(struct tb_http_req *req, void *user)
{
    struct rig *rig = user;
    const struct tb_http1_head *head = tb_http_req_head(req);
    struct tb_http_header headers[] = {
        {"Content-Type", TB_STR("text/plain")},
        {"Location", TB_STR("/elsewhere")},
    };
    if (rig_is(req, "/later")) {
        rig->later[rig->later_count++] = req;
    } else if (rig_is(req, "/moved")) {
        tb_http_reply(req, 302, headers, 2, TB_STR("moved"));
    } else if (rig_is(req, "/headers")) {
        struct tb_str mine = tb_http1_header(head, "X-Mine");
        assert_null(tb_http1_header(head, "Expect").ptr);
        assert_null(tb_http1_header(head, "Content-Type").ptr);
        tb_http_reply(req, 201, headers, 1, mine);
    } else if (head->method.len && tb_http_req_body(req).len) {
        tb_http_reply(req, 200, headers, 1, tb_http_req_body(req));
    } else {
        tb_http_reply(req, 200, headers, 1, head->method);
    }
}

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    rig_init(&set.rig, &rig_limits);
    set.rig.on_request = reply;
    set.client = tb_http_client_new(set.rig.loop);
    tb_buf_init(&set.outcome.body, 4 << 20);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    tb_http_client_free(set->client);
    rig_fini(&set->rig);
    tb_buf_fini(&set->outcome.body);
    return 0;
}

static struct tb_http_call *start(struct set *set, const char *method, const char *path,
                                  struct tb_str body)
{
    static const char *const headers[] = {"X-Mine: yes, mine", NULL};
    char url[128];
    struct tb_err err;
    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s",
             (unsigned)tb_listener_port(set->rig.listener), path);
    struct tb_http_client_request request = {
        .method = method,
        .url = url,
        .headers = headers,
        .body = body,
        .timeout_ms = 3000,
        .response_max = 1 << 20,
    };
    struct tb_http_call *call =
        tb_http_client_send(set->client, &request, on_answer, &set->outcome, &err);
    assert_non_null(call);
    assert_int_equal(set->outcome.calls, 0);
    return call;
}

static void expect_answer(struct set *set, int status, const char *body)
{
    RIG_UNTIL(set->rig.loop, set->outcome.calls == 1);
    assert_string_equal(set->outcome.text, "");
    assert_int_equal(set->outcome.code, 0);
    assert_int_equal(set->outcome.status, status);
    assert_true(tb_str_eq_cstr(tb_buf_str(&set->outcome.body), body));
    set->outcome.calls = 0;
}

static void expect_failure(struct set *set, int code, const char *words)
{
    RIG_UNTIL(set->rig.loop, set->outcome.calls == 1);
    assert_int_equal(set->outcome.code, code);
    assert_int_equal(set->outcome.status, 0);
    if (!strstr(set->outcome.text, words)) {
        fail_msg("'%s' does not say '%s'", set->outcome.text, words);
    }
    rig_turns(&set->rig, 5);
    assert_int_equal(set->outcome.calls, 1);
    set->outcome.calls = 0;
}

static void methods_bodies_and_headers_arrive(void **state)
{
    struct set *set = *state;
    struct tb_str none = {NULL, 0};
    start(set, "GET", "/a", none);
    expect_answer(set, 200, "GET");
    assert_string_equal(set->outcome.type, "text/plain");
    start(set, "POST", "/a", TB_STR("a body"));
    expect_answer(set, 200, "a body");
    start(set, "POST", "/a", none);
    expect_answer(set, 200, "POST");
    start(set, "DELETE", "/a", none);
    expect_answer(set, 200, "DELETE");
    start(set, "PUT", "/a", TB_STR("more"));
    expect_answer(set, 200, "more");
    start(set, "HEAD", "/a", none);
    expect_answer(set, 200, "");
    start(set, "POST", "/headers", TB_STR("x"));
    expect_answer(set, 201, "yes, mine");
    start(set, "GET", "/moved", none);
    expect_answer(set, 302, "moved");
    /* All of them on one connection. */
    assert_int_equal(tb_http_server_connections(set->rig.server), 1);
}

static void a_large_body_goes_both_ways(void **state)
{
    enum {
        BODY = 1 << 20,
    };
    struct set *set = *state;
    TB_AUTO(tb_free) char *body = tb_zalloc(BODY + 1);
    memset(body, 'z', BODY);
    start(set, "POST", "/a", tb_str_of(body));
    expect_answer(set, 200, body);
}

static void calls_run_side_by_side(void **state)
{
    struct set *set = *state;
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 2);
    tb_http_reply(set->rig.later[1], 200, NULL, 0, TB_STR("second"));
    expect_answer(set, 200, "second");
    tb_http_reply(set->rig.later[0], 200, NULL, 0, TB_STR("first"));
    expect_answer(set, 200, "first");
}

static void an_answer_that_does_not_come_is_a_timeout(void **state)
{
    struct set *set = *state;
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    rig_advance(&set->rig, 2999);
    assert_int_equal(set->outcome.calls, 0);
    rig_advance(&set->rig, 1);
    expect_failure(set, TB_E_TIMEOUT, "no answer within 3000 ms");
    RIG_UNTIL(set->rig.loop, tb_http_server_connections(set->rig.server) == 0);
    rig_check_seen(&set->rig, "head:/later request:/later gone:/later:0 ");
}

static void an_answer_over_the_ceiling_is_refused(void **state)
{
    enum {
        BODY = (1 << 20) + 1,
    };
    struct set *set = *state;
    TB_AUTO(tb_free) char *body = tb_zalloc(BODY);
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    tb_http_reply(set->rig.later[0], 200, NULL, 0, (struct tb_str){body, BODY});
    expect_failure(set, TB_E_TOO_LARGE, "the answer is larger than 1048576 bytes");
}

static void a_cancelled_call_says_so_once_and_later(void **state)
{
    struct set *set = *state;
    tb_http_call_cancel(start(set, "GET", "/a", (struct tb_str){NULL, 0}));
    assert_int_equal(set->outcome.calls, 0);
    expect_failure(set, -ECANCELED, "cancelled");
    struct tb_http_call *call = start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    tb_http_call_cancel(call);
    tb_http_call_cancel(call);
    expect_failure(set, -ECANCELED, "cancelled");
}

static void freeing_the_client_cancels_its_calls(void **state)
{
    struct set *set = *state;
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    tb_http_client_free(set->client);
    set->client = NULL;
    assert_int_equal(set->outcome.calls, 1);
    assert_int_equal(set->outcome.code, -ECANCELED);
}

static void a_callback_may_free_the_client(void **state)
{
    struct set *set = *state;
    struct outcome second = {.to_free = set->client};
    tb_buf_init(&second.body, 1024);
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    struct tb_http_client_request request = {
        .method = "GET", .url = "http://127.0.0.1:1/", .timeout_ms = 1000, .response_max = 10};
    assert_non_null(tb_http_client_send(set->client, &request, on_answer, &second, NULL));
    set->client = NULL;
    RIG_UNTIL(set->rig.loop, second.calls == 1);
    assert_int_equal(set->outcome.calls, 1);
    assert_int_equal(set->outcome.code, -ECANCELED);
    tb_buf_fini(&second.body);
}

static void a_refused_connection_says_where_and_why(void **state)
{
    struct set *set = *state;
    char words[128];
    snprintf(words, sizeof(words), "127.0.0.1:%u: cannot connect: Connection refused",
             (unsigned)tb_listener_port(set->rig.listener));
    struct tb_http_call *call = start(set, "GET", "/a", (struct tb_str){NULL, 0});
    assert_non_null(call);
    tb_listener_free(set->rig.listener);
    set->rig.listener = NULL;
    expect_failure(set, -ECONNREFUSED, words);
}

static void a_connection_that_breaks_is_closed(void **state)
{
    struct set *set = *state;
    start(set, "GET", "/later", (struct tb_str){NULL, 0});
    RIG_UNTIL(set->rig.loop, set->rig.later_count == 1);
    tb_http_server_free(set->rig.server);
    set->rig.server = NULL;
    expect_failure(set, TB_E_CLOSED, "the connection broke");
}

static void what_is_no_request_does_not_start(void **state)
{
    static const struct {
        const char *method;
        const char *url;
        const char *header;
    } cases[] = {
        {"GET", "", NULL},
        {"GET", "file:///etc/passwd", NULL},
        {"GET", "ftp://127.0.0.1/", NULL},
        {"GET", "/only/a/path", NULL},
        {"G ET", "http://127.0.0.1/", NULL},
        {"", "http://127.0.0.1/", NULL},
        {"GET", "http://127.0.0.1/", "no colon"},
        {"GET", "http://127.0.0.1/", "X: a\r\nY: b"},
        {"GET", "http://127.0.0.1/", "X y: b"},
    };
    struct set *set = *state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        const char *headers[] = {cases[i].header, NULL};
        struct tb_err err = {0};
        struct tb_http_client_request request = {
            .method = cases[i].method, .url = cases[i].url, .headers = headers, .timeout_ms = 1000};
        assert_null(tb_http_client_send(set->client, &request, on_answer, &set->outcome, &err));
        assert_int_equal(err.code, TB_E_INVALID);
        assert_true(strlen(err.text) > 0);
    }
    rig_turns(&set->rig, 3);
    assert_int_equal(set->outcome.calls, 0);
}

static void a_unix_socket_serves_as_well(void **state)
{
    struct set *set = *state;
    char dir[] = "/tmp/tabard-test-XXXXXX";
    assert_non_null(mkdtemp(dir));
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/socket", dir);
    struct tb_err err;
    struct tb_listener *listener =
        tb_listener_new_unix(set->rig.loop, path, rig_on_accept, &set->rig, &err);
    assert_non_null(listener);
    struct tb_http_client_request request = {
        .method = "GET",
        .url = "http://localhost/a",
        .unix_socket = path,
        .timeout_ms = 1000,
        .response_max = 100,
    };
    assert_non_null(tb_http_client_send(set->client, &request, on_answer, &set->outcome, &err));
    expect_answer(set, 200, "GET");
    tb_listener_free(listener);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(methods_bodies_and_headers_arrive),
        CASE(a_large_body_goes_both_ways),
        CASE(calls_run_side_by_side),
        CASE(an_answer_that_does_not_come_is_a_timeout),
        CASE(an_answer_over_the_ceiling_is_refused),
        CASE(a_cancelled_call_says_so_once_and_later),
        CASE(freeing_the_client_cancels_its_calls),
        CASE(a_callback_may_free_the_client),
        CASE(a_refused_connection_says_where_and_why),
        CASE(a_connection_that_breaks_is_closed),
        CASE(what_is_no_request_does_not_start),
        CASE(a_unix_socket_serves_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
