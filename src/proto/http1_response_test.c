/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/http1_trace.h"

enum {
    SEEDS = 30,
};

static const struct tb_http1_limits limits = {
    .line_max = 64,
    .head_max = 256,
    .header_count = 4,
    .body_max = 20,
    .chunk_ext_max = 8,
};

struct response {
    const char *bytes;
    const char *meaning;
};

static const struct response good[] = {
    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
     "200 reason=OK 1.1 keep length=3 [Content-Length: 3] body=abc END\n"},
    {"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
     "200 reason=- 1.1 keep length=0 [Content-Length: 0] body=- END\n"},
    {"HTTP/1.1 404 Nicht da \xe4\t!\r\nContent-Length: 0\r\n\r\n",
     "404 reason=Nicht da \xe4\t! 1.1 keep length=0 [Content-Length: 0] body=- END\n"},
    {"HTTP/1.1 999 Go away\r\nConnection: close\r\n\r\n",
     "999 reason=Go away 1.1 [Connection: close] body=- END\n"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nA: b\r\n\r\n",
     "200 reason=OK 1.1 keep chunked [Transfer-Encoding: chunked] body=ab END\n"},
    /* To the end of input. */
    {"HTTP/1.0 200 OK\r\n\r\nabc\r\n", "200 reason=OK 1.0 body=abc\r\n END\n"},
    {"HTTP/1.0 200 OK\r\n\r\n", "200 reason=OK 1.0 body=- END\n"},
    {"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
     "200 reason=OK 1.1 keep body=HTTP/1.1 200 OK\r\n\r\n END\n"},
    /* No body, whatever the headers say. */
    {"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
     "204 reason=No Content 1.1 keep body=- END\n"
     "304 reason=Not Modified 1.1 keep length=9 [Content-Length: 9] body=- END\n"},
    /* Several before the final one. */
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
     "100 reason=Continue 1.1 keep body=- END\n"
     "103 reason=Early Hints 1.1 keep [Link: x] body=- END\n"
     "200 reason=OK 1.1 keep length=1 [Content-Length: 1] body=a END\n"},
    {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
     "101 reason=Switching Protocols 1.1 keep upgrade [Connection: Upgrade] [Upgrade: websocket]"
     " body=- END\n"},
    /* Exactly the body ceiling. */
    {"HTTP/1.0 200 OK\r\n\r\n12345678901234567890",
     "200 reason=OK 1.0 body=12345678901234567890 END\n"},
    /* Not ours to judge in a response. */
    {"HTTP/1.1 200 OK\r\nHost: a\r\nHost: b\r\nExpect: x\r\nContent-Length: 0\r\n\r\n",
     "200 reason=OK 1.1 keep length=0 [Host: a] [Host: b] [Expect: x] [Content-Length: 0]"
     " body=- END\n"},
};

static const struct response bad[] = {
    {"\r\nHTTP/1.1 200 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1  200 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 20 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 2000 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 099 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 +20 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 2x0 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/2.0 200 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.2 200 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"ICY 200 OK\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 O\x01K\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\n\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
     " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     " body=- FAIL protocol_error\n"},
    {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
     " body=- FAIL unsupported\n"},
    {"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\nabc",
     "200 reason=OK 1.1 keep length=21 [Content-Length: 21] body=- FAIL too_large\n"},
    {"HTTP/1.0 200 OK\r\n\r\n123456789012345678901",
     "200 reason=OK 1.0 body=12345678901234567890 FAIL too_large\n"},
    {"HTTP/1.1 200 a reason that is far too long for the ceiling of this test suite\r\n\r\n",
     " body=- FAIL headers_too_large\n"},
    {"HTTP/1.1 200 OK\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n\r\n",
     " body=- FAIL headers_too_large\n"},
    /* Cut off. */
    {"HTTP/1.1 200 OK\r\n", " body=- FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
     "200 reason=OK 1.1 keep length=3 [Content-Length: 3] body=ab FAIL protocol_error\n"},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
     "200 reason=OK 1.1 keep chunked [Transfer-Encoding: chunked] body=a FAIL protocol_error\n"},
};

static void check(const struct response *response, bool no_body, uint64_t seed)
{
    TB_AUTO(tb_http1_trace_fini)
    struct tb_http1_trace trace = tb_http1_trace_of(TB_HTTP1_RESPONSE, &limits);
    trace.no_body = no_body;
    tb_http1_trace_feed(&trace, tb_str_of(response->bytes), seed);
    tb_http1_trace_eof(&trace);
    struct tb_str text = tb_buf_str(&trace.text);
    if (!tb_str_eq_cstr(text, response->meaning)) {
        fail_msg("%s\ncut by %llu, wanted\n%sgot\n%.*s", response->bytes, (unsigned long long)seed,
                 response->meaning, TB_STR_ARG(text));
    }
}

static void good_responses_are_understood_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            check(&good[i], false, seed);
        }
    }
}

static void bad_responses_are_refused_however_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            check(&bad[i], false, seed);
        }
    }
}

static void an_answer_to_head_has_no_body_however_it_is_framed(void **state)
{
    (void)state;
    static const struct response cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 201 OK\r\n\r\n",
         "200 reason=OK 1.1 keep length=3 [Content-Length: 3] body=- END\n"
         "201 reason=OK 1.1 keep body=- END\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
         "200 reason=OK 1.1 keep chunked [Transfer-Encoding: chunked] body=- END\n"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
         "200 reason=OK 1.1 keep length=18446744073709551615 [Content-Length: "
         "18446744073709551615] body=- END\n"},
        {"HTTP/1.1 204 OK\r\n\r\n", "204 reason=OK 1.1 keep body=- END\n"},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            check(&cases[i], true, seed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_responses_are_understood_however_they_are_cut),
        cmocka_unit_test(bad_responses_are_refused_however_they_are_cut),
        cmocka_unit_test(an_answer_to_head_has_no_body_however_it_is_framed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
