/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_client.h"
#include "io/http_rig.h"
#include "io/tls.h"

#include "support/cert.h"

/* Our client and our server with TLS between them. */

struct set {
    struct rig rig;
    struct tb_http_client *client;
    struct test_cert files;
    struct tb_tls *tls;
    struct tb_listener *listener;
    int calls;
    int code;
    int status;
    char text[512];
    struct tb_buf body;
};

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    rig_init(&set.rig, &rig_limits);
    test_cert_make(&set.files);
    struct tb_err err;
    set.tls = tb_tls_new(set.files.cert, set.files.key, &err);
    assert_non_null(set.tls);
    set.listener =
        tb_listener_new_tcp(set.rig.loop, "127.0.0.1", 0, set.tls, rig_on_accept, &set.rig, &err);
    assert_non_null(set.listener);
    set.client = tb_http_client_new(set.rig.loop);
    tb_buf_init(&set.body, 4 << 20);
    *state = &set;
    return 0;
}

static int tear_down(void **state)
{
    struct set *set = *state;
    tb_http_client_free(set->client);
    tb_listener_free(set->listener);
    rig_fini(&set->rig);
    tb_tls_free(set->tls);
    test_cert_remove(&set->files);
    tb_buf_fini(&set->body);
    return 0;
}

static void on_answer(int code, const struct tb_http_client_response *response,
                      const struct tb_err *err, void *user)
{
    struct set *set = user;
    set->calls++;
    set->code = code;
    set->status = response->status;
    snprintf(set->text, sizeof(set->text), "%s", code < 0 ? err->text : "");
    tb_buf_clear(&set->body);
    tb_buf_append_str(&set->body, response->body);
}

static void ask(struct set *set, const char *path, struct tb_str body, bool insecure)
{
    char url[128];
    struct tb_err err;
    snprintf(url, sizeof(url), "https://127.0.0.1:%u%s", (unsigned)tb_listener_port(set->listener),
             path);
    struct tb_http_client_request request = {
        .method = "POST",
        .url = url,
        .body = body,
        .timeout_ms = 3000,
        .response_max = 2 << 20,
        .insecure_tls = insecure,
    };
    set->calls = 0;
    assert_non_null(tb_http_client_send(set->client, &request, on_answer, set, &err));
    RIG_UNTIL(set->rig.loop, set->calls == 1);
}

static void bodies_pass_through_tls_on_one_connection(void **state)
{
    enum {
        BODY = 1 << 20,
    };
    struct set *set = *state;
    TB_AUTO(tb_free) char *body = tb_zalloc(BODY);
    memset(body, 'z', BODY);
    for (int i = 0; i < 3; i++) {
        ask(set, "/echo", (struct tb_str){body, BODY}, true);
        assert_string_equal(set->text, "");
        assert_int_equal(set->status, 200);
        assert_true(tb_str_eq(tb_buf_str(&set->body), (struct tb_str){body, BODY}));
    }
    assert_int_equal(tb_http_server_connections(set->rig.server), 1);
}

static void a_certificate_that_nobody_vouches_for_is_refused(void **state)
{
    struct set *set = *state;
    ask(set, "/echo", TB_STR("secret"), false);
    assert_int_equal(set->code, TB_E_PROTOCOL);
    assert_non_null(strstr(set->text, "certificate"));
    rig_turns(&set->rig, 5);
    rig_check_seen(&set->rig, "");
}

static void over_the_ceiling_the_refusal_passes_through_tls(void **state)
{
    struct set *set = *state;
    struct tb_http_server_limits limits = rig_limits;
    limits.connections_max = 0;
    tb_http_server_free(set->rig.server);
    set->rig.server = tb_http_server_new(set->rig.loop, &limits, &rig_ops, &set->rig);
    ask(set, "/echo", TB_STR("x"), true);
    assert_string_equal(set->text, "");
    assert_int_equal(set->status, 503);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(bodies_pass_through_tls_on_one_connection),
        CASE(a_certificate_that_nobody_vouches_for_is_refused),
        CASE(over_the_ceiling_the_refusal_passes_through_tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
