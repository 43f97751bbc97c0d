/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "io/http_client.h"
#include "io/http_rig.h"
#include "io/tls.h"

/* Our client and our server with TLS between them. */

struct set {
    struct rig rig;
    struct tb_http_client *client;
    char dir[32];
    char *cert;
    char *key;
    struct tb_tls *tls;
    struct tb_listener *listener;
    int calls;
    int code;
    int status;
    char text[512];
    struct tb_buf body;
};

/* A key and a certificate that it has signed itself. */
static void write_certificate(struct set *set)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)"127.0.0.1", -1, -1, 0);
    X509_set_issuer_name(cert, X509_get_subject_name(cert));
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
    FILE *file = fopen(set->cert, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, cert), 1);
    fclose(file);
    file = fopen(set->key, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
    X509_free(cert);
    EVP_PKEY_free(key);
}

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    rig_init(&set.rig, &rig_limits);
    snprintf(set.dir, sizeof(set.dir), "/tmp/tabard-test-XXXXXX");
    assert_non_null(mkdtemp(set.dir));
    set.cert = tb_strdupf("%s/cert.pem", set.dir);
    set.key = tb_strdupf("%s/key.pem", set.dir);
    write_certificate(&set);
    struct tb_err err;
    set.tls = tb_tls_new(set.cert, set.key, &err);
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
    unlink(set->cert);
    unlink(set->key);
    rmdir(set->dir);
    tb_free(set->cert);
    tb_free(set->key);
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
