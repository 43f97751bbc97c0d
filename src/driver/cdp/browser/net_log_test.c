/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/net_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void feed(struct tb_cdp_net_log *log, const char *method, const char *params)
{
    tb_cdp_net_log_on_event(log, "S1", tb_str_of(method), tb_str_of(params));
}

static void send(struct tb_cdp_net_log *log, const char *id, const char *url, const char *more)
{
    TB_AUTO(tb_free)
    char *params =
        tb_strdupf("{\"requestId\":\"%s\",\"type\":\"XHR\",\"timestamp\":10.0,"
                   "\"request\":{\"url\":\"%s\",\"method\":\"GET\",\"headers\":{\"A\":\"b\"}}%s}",
                   id, url, more);
    feed(log, "Network.requestWillBeSent", params);
}

static void check_list(const struct tb_cdp_net_log *log, struct tb_cdp_net_filter filter,
                       size_t total, const char *wanted)
{
    struct cJSON *rows = tb_json_new_array();
    struct tb_buf out;
    tb_buf_init(&out, 1 << 20);
    assert_int_equal(tb_cdp_net_log_list(log, &filter, rows), total);
    tb_json_print(rows, &out);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, wanted);
    tb_buf_fini(&out);
    tb_json_free(rows);
}

static void a_request_is_followed_to_its_end(void **state)
{
    struct tb_cdp_net_log log;
    (void)state;
    tb_cdp_net_log_init(&log);
    send(&log, "1", "http://x/a", "");
    feed(&log, "Network.responseReceived",
         "{\"requestId\":\"1\",\"response\":{\"status\":200,\"headers\":{\"C\":\"d\"}}}");
    feed(&log, "Network.loadingFinished",
         "{\"requestId\":\"1\",\"timestamp\":10.25,\"encodedDataLength\":77}");
    send(&log, "2", "http://x/b", "");
    feed(&log, "Network.loadingFailed",
         "{\"requestId\":\"2\",\"timestamp\":10.5,\"errorText\":\"net::ERR_FAILED\"}");
    feed(&log, "Network.loadingFailed", "{\"requestId\":\"unknown\"}");
    check_list(&log, (struct tb_cdp_net_filter){.limit = 9, .find = TB_STR("/a")}, 1,
               "[{\"id\":\"r1\",\"method\":\"GET\",\"url\":\"http://x/a\",\"status\":200,"
               "\"type\":\"xhr\",\"ms\":250,\"bytes\":77}]");
    check_list(&log, (struct tb_cdp_net_filter){.limit = 9, .failed = true, .type = TB_STR("XHR")},
               1,
               "[{\"id\":\"r2\",\"method\":\"GET\",\"url\":\"http://x/b\",\"status\":0,"
               "\"type\":\"xhr\",\"ms\":500,\"bytes\":0,\"error\":\"net::ERR_FAILED\"}]");
    check_list(&log, (struct tb_cdp_net_filter){.limit = 9, .type = TB_STR("image")}, 0, "[]");
    tb_cdp_net_log_fini(&log);
}

static void a_redirect_is_two_requests(void **state)
{
    struct tb_cdp_net_log log;
    (void)state;
    tb_cdp_net_log_init(&log);
    send(&log, "1", "http://x/a", "");
    send(&log, "1", "http://x/b", ",\"redirectResponse\":{\"status\":302}");
    feed(&log, "Network.responseReceived", "{\"requestId\":\"1\",\"response\":{\"status\":200}}");
    check_list(&log, (struct tb_cdp_net_filter){.limit = 9}, 2,
               "[{\"id\":\"r1\",\"method\":\"GET\",\"url\":\"http://x/a\",\"status\":302,"
               "\"type\":\"xhr\",\"ms\":0,\"bytes\":0},{\"id\":\"r2\",\"method\":\"GET\",\"url\":"
               "\"http://x/b\",\"status\":200,\"type\":\"xhr\",\"bytes\":0}]");
    tb_cdp_net_log_fini(&log);
}

static void one_is_told_in_full(void **state)
{
    struct tb_cdp_net_log log;
    const char *request_id = NULL;
    const char *session_id = NULL;
    (void)state;
    tb_cdp_net_log_init(&log);
    send(&log, "77.1", "http://x/a", "");
    struct cJSON *json = tb_cdp_net_log_get(&log, TB_STR("r1"), &request_id, &session_id);
    assert_non_null(tb_json_get(tb_json_get(json, "request_headers"), "A"));
    assert_string_equal(request_id, "77.1");
    assert_string_equal(session_id, "S1");
    tb_json_free(json);
    assert_null(tb_cdp_net_log_get(&log, TB_STR("r2"), &request_id, &session_id));
    assert_null(tb_cdp_net_log_get(&log, TB_STR("1"), &request_id, &session_id));
    assert_null(tb_cdp_net_log_get(&log, TB_STR(""), &request_id, &session_id));
    tb_cdp_net_log_fini(&log);
}

static void only_the_newest_are_kept_and_ids_stay(void **state)
{
    struct tb_cdp_net_log log;
    (void)state;
    tb_cdp_net_log_init(&log);
    for (int i = 0; i < 2 * TB_NET_REQUESTS; i++) {
        send(&log, "x", "http://x/", "");
    }
    assert_int_equal(log.count, TB_NET_REQUESTS);
    assert_int_equal(log.last, 2 * TB_NET_REQUESTS);
    tb_cdp_net_log_clear(&log);
    assert_int_equal(log.count, 0);
    tb_cdp_net_log_fini(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_followed_to_its_end),
        cmocka_unit_test(a_redirect_is_two_requests),
        cmocka_unit_test(one_is_told_in_full),
        cmocka_unit_test(only_the_newest_are_kept_and_ids_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
