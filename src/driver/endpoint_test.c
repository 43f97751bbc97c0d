/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/endpoint.h"

#include <stdlib.h>

#include "io/tls.h"

#include "support/cdp_lab.h"
#include "support/cert.h"

static const struct lab_doc docs[] = {{NULL, NULL, NULL, 0}};

struct dialled {
    bool done;
    struct tb_stream *stream;
    char host[64];
    char target[64];
    struct tb_err err;
};

static void on_endpoint(struct tb_stream *stream, struct tb_str host, struct tb_str target,
                        const struct tb_err *err, void *user)
{
    struct dialled *dialled = user;
    dialled->done = true;
    dialled->stream = stream;
    snprintf(dialled->host, sizeof(dialled->host), "%.*s", TB_STR_ARG(host));
    snprintf(dialled->target, sizeof(dialled->target), "%.*s", TB_STR_ARG(target));
    if (err) {
        dialled->err = *err;
    }
}

static void addresses_are_read_as_they_are_written(void **state)
{
    static const struct {
        const char *form; /* with %d for the site's port */
        bool good;
        const char *target;
    } rows[] = {
        {"ws://127.0.0.1:%d/devtools/browser/x", true, "/devtools/browser/x"},
        {"ws://127.0.0.1:%d", true, "/"},
        {"ws://localhost:%d/a?b", true, "/a?b"},
        {"ws://127.0.0.1:%d?token=x", true, "/?token=x"},
        {"ws://user:secret@127.0.0.1:%d/", false, ""},
        {"ws://127.0.0.1#secret:%d/", false, ""},
        {"http://127.0.0.1:%d/", false, ""},
        {"ws://127.0.0.1:0%d0000/", false, ""},
        {"ws://:%d/", false, ""},
        {"ws://127.0.0.1:/", false, ""},
        {"", false, ""},
    };
    struct lab lab;
    (void)state;
    lab_init(&lab, docs);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char endpoint[128];
        struct dialled dialled = {.done = false};
        snprintf(endpoint, sizeof(endpoint), rows[i].form, tb_listener_port(lab.listener));
        struct tb_endpoint *dialling =
            tb_endpoint_new(lab.loop, endpoint, "", lab_deadline(&lab), on_endpoint, &dialled);
        assert_false(dialled.done); /* later, always */
        LAB_WAIT(&lab, dialled.done);
        assert_int_equal(dialled.stream != NULL, rows[i].good);
        if (rows[i].good) {
            assert_string_equal(dialled.target, rows[i].target);
            tb_stream_free(dialled.stream);
        } else {
            assert_int_equal(dialled.err.code, TB_E_PARAMS);
            assert_null(strstr(dialled.err.text, "secret"));
        }
        tb_endpoint_free(dialling);
    }
    lab_fini(&lab);
}

static void hear_nothing(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    (void)bytes;
    (void)user;
}

static void note_nothing(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    (void)status;
    (void)user;
}

static void on_peer(struct tb_stream *stream, void *user)
{
    static const struct tb_stream_ops ops = {.on_read = hear_nothing, .on_end = note_nothing};
    *(struct tb_stream **)user = stream;
    tb_stream_start(stream, &ops, NULL);
}

static void an_endpoint_that_is_freed_calls_nobody(void **state)
{
    struct lab lab;
    struct dialled freed = {.done = false};
    struct dialled kept = {.done = false};
    char endpoint[64];
    (void)state;
    lab_init(&lab, docs);
    int64_t deadline_ms = lab_deadline(&lab);
    tb_endpoint_free(
        tb_endpoint_new(lab.loop, "wss://localhost:1/", "", deadline_ms, on_endpoint, &freed));
    tb_endpoint_free(tb_endpoint_new(lab.loop, "nonsense", "", deadline_ms, on_endpoint, &freed));
    snprintf(endpoint, sizeof(endpoint), "ws://127.0.0.1:%d/", tb_listener_port(lab.listener));
    struct tb_endpoint *dialling =
        tb_endpoint_new(lab.loop, endpoint, "", deadline_ms, on_endpoint, &kept);
    LAB_WAIT(&lab, kept.done); /* the only worker has done with the first */
    assert_false(freed.done);
    tb_stream_free(kept.stream);
    tb_endpoint_free(dialling);
    lab_fini(&lab);
}

/* What goes wrong with wss:// is said in words; the site speaks TLS here, or says nothing. */
static void a_peer_that_cannot_be_trusted_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *host;
        bool trusted;
        bool silent;
        int ms;
        const char *words;
    } rows[] = {
        /* First: its look-up may outlast it, and has ended when the next one has. */
        {"127.0.0.1", true, true, 1000, "cannot connect to wss://127.0.0.1:"},
        {"localhost", true, false, LAB_MS, NULL},
        {"127.0.0.1", true, false, LAB_MS, NULL},
        {"localhost", false, false, LAB_MS, "self-signed certificate"},
        {"127.0.0.2", true, false, LAB_MS, "IP address mismatch"},
    };
    struct lab lab;
    struct test_cert files;
    (void)state;
    lab_init(&lab, docs);
    test_cert_make(&files);
    struct tb_tls *tls = tb_tls_new(files.cert, files.key, NULL);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct dialled dialled = {.done = false};
        struct tb_stream *peer = NULL;
        char endpoint[64];
        struct tb_listener *listener = tb_listener_new_tcp(
            lab.loop, "0.0.0.0", 0, rows[i].silent ? NULL : tls, on_peer, &peer, NULL);
        snprintf(endpoint, sizeof(endpoint), "wss://%s:%d/x", rows[i].host,
                 tb_listener_port(listener));
        struct tb_endpoint *dialling =
            tb_endpoint_new(lab.loop, endpoint, rows[i].trusted ? files.cert : "",
                            tb_loop_now_ms(lab.loop) + rows[i].ms, on_endpoint, &dialled);
        LAB_WAIT(&lab, dialled.done);
        assert_int_equal(dialled.stream != NULL, rows[i].words == NULL);
        if (rows[i].words) {
            assert_int_equal(dialled.err.code, TB_E_ENDPOINT);
            assert_non_null(strstr(dialled.err.text, rows[i].words));
        }
        tb_stream_free(dialled.stream);
        tb_stream_free(peer);
        tb_endpoint_free(dialling);
        tb_listener_free(listener);
    }
    tb_tls_free(tls);
    test_cert_remove(&files);
    lab_fini(&lab);
}

int main(void)
{
    setenv("UV_THREADPOOL_SIZE", "1", 1); /* look-ups end in their order */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_as_they_are_written),
        cmocka_unit_test(an_endpoint_that_is_freed_calls_nobody),
        cmocka_unit_test(a_peer_that_cannot_be_trusted_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
