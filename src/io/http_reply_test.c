/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

static void check_text(struct tb_buf *buf, const char *wanted)
{
    tb_buf_append_char(buf, '\0');
    assert_string_equal((const char *)buf->data, wanted);
    tb_buf_fini(buf);
}

static void a_date_is_written_as_http_wants_it(void **state)
{
    (void)state;
    static const struct {
        int64_t wall_ms;
        const char *text;
    } cases[] = {
        {784111777000, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {784111777999, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {1709164800000, "Thu, 29 Feb 2024 00:00:00 GMT"},
    };
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        char text[TB_HTTP_DATE_SIZE];
        tb_http_date(cases[i].wall_ms, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void every_status_of_the_error_table_has_words(void **state)
{
    (void)state;
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        int status = tb_err_info(-10000 - i)->http_status;
        assert_string_not_equal(tb_http_status_text(status), "Unknown");
        assert_true(tb_http_status_has_body(status));
    }
    assert_string_equal(tb_http_status_text(299), "Unknown");
    assert_false(tb_http_status_has_body(204));
    assert_false(tb_http_status_has_body(304));
    assert_false(tb_http_status_has_body(101));
}

static void a_head_has_what_its_framing_needs(void **state)
{
    (void)state;
    static const struct {
        enum tb_http_framing framing;
        enum tb_http_persistence persistence;
        const char *text;
    } cases[] = {
        {TB_HTTP_NO_BODY, TB_HTTP_KEEP, ""},
        {TB_HTTP_LENGTH, TB_HTTP_CLOSE, "Content-Length: 7\r\nConnection: close\r\n"},
        {TB_HTTP_CHUNKED, TB_HTTP_KEEP, "Transfer-Encoding: chunked\r\n"},
        {TB_HTTP_TO_THE_END, TB_HTTP_CLOSE, "Connection: close\r\n"},
        {TB_HTTP_LENGTH, TB_HTTP_KEEP_1_0, "Content-Length: 7\r\nConnection: keep-alive\r\n"},
    };
    struct tb_http_header header = {"X-Y", TB_STR("z")};
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_http_reply_head head = {
            .status = 200,
            .headers = &header,
            .header_count = 1,
            .framing = cases[i].framing,
            .length = 7,
            .persistence = cases[i].persistence,
            .date = "now",
        };
        struct tb_buf out;
        tb_buf_init(&out, 1000);
        tb_http_reply_put_head(&out, &head);
        TB_AUTO(tb_free)
        char *wanted =
            tb_strdupf("HTTP/1.1 200 OK\r\nDate: now\r\nX-Y: z\r\n%s\r\n", cases[i].text);
        check_text(&out, wanted);
    }
}

static void a_refusal_is_a_whole_reply(void **state)
{
    (void)state;
    struct tb_buf out;
    tb_buf_init(&out, 1000);
    tb_http_reply_put_refusal(&out, TB_E_TIMEOUT, "too \"slow\"\n", "now");
    check_text(&out,
               "HTTP/1.1 408 Request Timeout\r\nDate: now\r\n"
               "Content-Type: application/problem+json\r\nContent-Length: 221\r\n"
               "Connection: close\r\n\r\n"
               "{\"error\":{\"code\":\"timeout\",\"message\":\"too \\\"slow\\\"\\n\","
               "\"hint\":\"Try once more, with a longer timeout if the work needs more time.\"},"
               "\"type\":\"urn:tabard:error:timeout\",\"title\":\"Timeout\",\"status\":408,"
               "\"detail\":\"too \\\"slow\\\"\\n\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_date_is_written_as_http_wants_it),
        cmocka_unit_test(every_status_of_the_error_table_has_words),
        cmocka_unit_test(a_head_has_what_its_framing_needs),
        cmocka_unit_test(a_refusal_is_a_whole_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
