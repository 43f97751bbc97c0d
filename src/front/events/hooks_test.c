/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/hooks.h"

#include "base/hash.h"
#include "core/limits.h"
#include "io/http_rig.h"

enum {
    LATER = 1000 * 1000,
};

#define SECRET "sixteen characters"

struct set {
    struct rig rig;
    struct tb_log log;
    struct tb_config config;
    struct tb_core core;
    struct tb_hooks *hooks;
    struct tb_buf taken; /* "b-1:navigated:200 ", one for each attempt */
    int status;          /* of the next answers */
    bool silent;         /* no answer at all */
};

static struct tb_str header(struct tb_http_req *req, const char *name)
{
    return tb_http1_header(tb_http_req_head(req), name);
}

static void check_signature(struct tb_http_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    char hex[TB_HMAC_SIZE];
    struct tb_str signature = header(req, "X-Tabard-Signature");
    tb_buf_append_str(&text, header(req, "X-Tabard-Timestamp"));
    tb_buf_append_char(&text, '.');
    tb_buf_append_str(&text, tb_http_req_body(req));
    tb_hmac_sha256(TB_STR(SECRET), tb_buf_str(&text), hex);
    assert_true(tb_str_starts(signature, TB_STR("sha256=")));
    assert_true(tb_str_eq_cstr(tb_str_sub(signature, 7, signature.len), hex));
}

static void on_post(struct tb_http_req *req, void *user)
{
    struct set *set = TB_CONTAINER(user, struct set, rig);
    const struct tb_http_header location = {"Location", TB_STR("/elsewhere")};
    assert_true(tb_str_eq_cstr(tb_http_req_head(req)->method, "POST"));
    assert_true(tb_str_eq_cstr(header(req, "Content-Type"), "application/json"));
    check_signature(req);
    tb_buf_printf(&set->taken, "%.*s:%.*s:%d ", TB_STR_ARG(header(req, "X-Tabard-Delivery")),
                  TB_STR_ARG(header(req, "X-Tabard-Event")), set->silent ? 0 : set->status);
    if (!set->silent) {
        tb_http_reply(req, set->status, &location, 1, TB_STR("nobody reads this"));
    }
}

static void add_hook(struct set *set, const char *types)
{
    size_t count;
    const struct tb_config_key *key = tb_config_keys(&count);
    char url[64];
    char *items[] = {(char *)(uintptr_t)types};
    struct tb_err err;
    while (key->type != TB_CONFIG_HOOKS) {
        key++;
    }
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/hook",
             (unsigned)tb_listener_port(set->rig.listener));
    assert_int_equal(tb_config_hook_add(&set->config, key, tb_str_of(url), TB_STR(SECRET),
                                        &(struct tb_config_list){items, types ? 1 : 0}, &err),
                     0);
}

static int set_up(void **state)
{
    static struct set set;
    memset(&set, 0, sizeof(set));
    rig_init(&set.rig, &rig_limits);
    set.rig.on_request = on_post;
    tb_log_init(&set.log, TB_LOG_ERROR, 2, &set.rig.clock.clock);
    tb_config_init(&set.config);
    set.core = (struct tb_core){.loop = set.rig.loop,
                                .clock = &set.rig.clock.clock,
                                .log = &set.log,
                                .config = &set.config};
    tb_buf_init(&set.taken, 1 << 20);
    set.status = 200;
    *state = &set;
    return tb_id_init();
}

static int tear_down(void **state)
{
    struct set *set = *state;
    tb_hooks_free(set->hooks);
    tb_buf_fini(&set->taken);
    tb_config_fini(&set->config);
    tb_log_fini(&set->log);
    rig_fini(&set->rig);
    return 0;
}

static void start(struct set *set, const char *types)
{
    add_hook(set, types);
    set->hooks = tb_hooks_new(&set->core);
}

static void offer(struct set *set, int number, enum tb_event_type type)
{
    char id[TB_NOTICE_ID_SIZE];
    snprintf(id, sizeof(id), "b-%d", number);
    struct tb_notice *notice = tb_notice_new(&(struct tb_notice_spec){
        .id = id,
        .type = tb_event_name(type),
        .type_bit = UINT64_C(1) << type,
        .tenant = "t",
        .session = "",
        .session_id = "",
        .data = TB_STR("{}"),
    });
    tb_hooks_offer(set->hooks, notice);
    tb_notice_unref(notice, "made");
}

static int64_t metric(const struct set *set, enum tb_metric metric)
{
    return set->core.metrics.values[metric];
}

static void check_taken(struct set *set, const char *wanted)
{
    tb_buf_append_char(&set->taken, '\0');
    assert_string_equal((const char *)set->taken.data, wanted);
    tb_buf_clear(&set->taken);
}

#define UNTIL(set, NAME, count) \
    RIG_UNTIL((set)->rig.loop, metric((set), TB_METRIC_HOOK_##NAME) == (count))

static void events_come_in_order_signed_and_only_those_that_are_wanted(void **state)
{
    struct set *set = *state;
    start(set, "navigated, tab_opened");
    offer(set, 1, TB_EVENT_NAVIGATED);
    offer(set, 2, TB_EVENT_CALL_DONE);
    offer(set, 3, TB_EVENT_TAB_OPENED);
    offer(set, 4, TB_EVENT_NAVIGATED);
    UNTIL(set, DELIVERIES, 3);
    check_taken(set, "b-1:navigated:200 b-3:tab_opened:200 b-4:navigated:200 ");
}

static void what_fails_is_sent_again_later_and_nothing_overtakes_it(void **state)
{
    struct set *set = *state;
    start(set, NULL);
    set->status = 302;
    offer(set, 1, TB_EVENT_NAVIGATED);
    offer(set, 2, TB_EVENT_NAVIGATED);
    UNTIL(set, FAILURES, 1);
    rig_advance(&set->rig, TB_HOOK_RETRY_MS / 2 - 1);
    rig_turns(&set->rig, 20);
    check_taken(set, "b-1:navigated:302 ");
    rig_advance(&set->rig, TB_HOOK_RETRY_MS / 2 + 1);
    UNTIL(set, FAILURES, 2);
    rig_advance(&set->rig, TB_HOOK_RETRY_MS - 1);
    set->status = 204;
    rig_advance(&set->rig, TB_HOOK_RETRY_MS + 1);
    UNTIL(set, DELIVERIES, 2);
    tb_buf_append_char(&set->taken, '\0');
    const char *taken = (const char *)set->taken.data;
    assert_non_null(strstr(taken, "b-1:navigated:204 b-2:navigated:204 "));
    assert_int_equal(metric(set, TB_METRIC_HOOK_DROPPED), 0);
}

static void an_event_is_given_up_after_many_attempts_and_the_next_one_follows(void **state)
{
    struct set *set = *state;
    start(set, NULL);
    set->status = 500;
    offer(set, 1, TB_EVENT_NAVIGATED);
    offer(set, 2, TB_EVENT_NAVIGATED);
    for (int i = 1; i < TB_HOOK_ATTEMPTS; i++) {
        UNTIL(set, FAILURES, i);
        rig_advance(&set->rig, TB_HOOK_RETRY_MAX_MS);
    }
    UNTIL(set, FAILURES, TB_HOOK_ATTEMPTS);
    assert_int_equal(metric(set, TB_METRIC_HOOK_DROPPED), 1);
    set->status = 200;
    UNTIL(set, DELIVERIES, 1);
    tb_buf_append_char(&set->taken, '\0');
    assert_non_null(strstr((const char *)set->taken.data, "b-1:navigated:500 b-2:navigated:200 "));
}

static void one_that_does_not_answer_in_time_has_failed(void **state)
{
    struct set *set = *state;
    start(set, NULL);
    set->silent = true;
    offer(set, 1, TB_EVENT_NAVIGATED);
    RIG_UNTIL(set->rig.loop, set->taken.len);
    rig_advance(&set->rig, TB_HOOK_TIMEOUT_MS - 1);
    assert_int_equal(metric(set, TB_METRIC_HOOK_FAILURES), 0);
    rig_advance(&set->rig, 1);
    UNTIL(set, FAILURES, 1);
}

static void the_queue_has_a_ceiling_and_the_oldest_are_lost(void **state)
{
    struct set *set = *state;
    start(set, NULL);
    set->silent = true;
    for (int i = 1; i <= TB_HOOK_QUEUE + 11; i++) {
        offer(set, i, TB_EVENT_NAVIGATED);
    }
    assert_int_equal(metric(set, TB_METRIC_HOOK_DROPPED), 10);
    set->silent = false;
    UNTIL(set, DELIVERIES, TB_HOOK_QUEUE + 1);
    tb_buf_append_char(&set->taken, '\0');
    const char *first = "b-1:navigated:200 b-12:navigated:200 ";
    assert_memory_equal(set->taken.data, first, strlen(first));
}

static void hooks_that_are_busy_go_without_a_word(void **state)
{
    struct set *set = *state;
    start(set, NULL);
    set->silent = true;
    offer(set, 1, TB_EVENT_NAVIGATED);
    offer(set, 2, TB_EVENT_NAVIGATED);
    RIG_UNTIL(set->rig.loop, set->taken.len);
    tb_hooks_free(set->hooks);
    set->hooks = NULL;
    assert_int_equal(metric(set, TB_METRIC_HOOK_FAILURES), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(events_come_in_order_signed_and_only_those_that_are_wanted),
        WITH(what_fails_is_sent_again_later_and_nothing_overtakes_it),
        WITH(an_event_is_given_up_after_many_attempts_and_the_next_one_follows),
        WITH(one_that_does_not_answer_in_time_has_failed),
        WITH(the_queue_has_a_ceiling_and_the_oldest_are_lost),
        WITH(hooks_that_are_busy_go_without_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
