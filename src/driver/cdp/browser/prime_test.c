/* SPDX-License-Identifier: Apache-2.0 */
/* What browsers make of the lesson that teaches a context its pass. */
#include "driver/cdp/browser/prime.h"

#include "core/egress_internal.h"
#include "driver/cdp/browser/context.h"

#include "support/scripted.h"

enum {
    CRASHED = 38, /* event of hostile_tell */
    FAILED = 11,  /* of hostile_answer */
};

#define ASKED(source)                                                                 \
    "{\"sessionId\":\"S1\",\"method\":\"Fetch.authRequired\",\"params\":{"            \
    "\"requestId\":\"r1\",\"request\":{\"url\":\"http://prime.tabard.invalid/\"},"    \
    "\"authChallenge\":{\"source\":\"" source "\",\"origin\":\"http://127.0.0.1:9\"," \
    "\"scheme\":\"basic\",\"realm\":\"tabard\"}}}"

static struct tb_egress egress;

/* As far as the visit that teaches it. */
static int start(void **state)
{
    scene_start_fleet(state);
    struct scene *scene = *state;
    scene->core.egresses = tb_egresses_new(&scene->core);
    tb_egresses_set_proxy(scene->core.egresses, "127.0.0.1:9");
    egress = (struct tb_egress){.egresses = scene->core.egresses};
    tb_list_init(&egress.passes);
    scene_open_with(scene, (struct tb_open_opts){.egress = &egress});
    scene_answer_until(scene, "Page.navigate");
    assert_null(scene->session);
    return 0;
}

static int stop(void **state)
{
    struct tb_egresses *egresses = ((struct scene *)*state)->core.egresses;
    scene_stop(state);
    tb_egresses_free(egresses);
    return 0;
}

static struct tb_pass *pass_of(const struct scene *scene)
{
    const struct tb_cdp_browser *browser =
        TB_CONTAINER(scene->fleet->browsers.next, struct tb_cdp_browser, link);
    return TB_CONTAINER(browser->contexts.next, struct tb_cdp_context, link)->pass;
}

/* The browser asks, and is answered so. */
static void expect_answer(struct scene *scene, const char *asked, const char *response)
{
    size_t before = scene->peer.count;
    scene_say(scene, asked);
    assert_int_equal(scene->peer.count, before + 1);
    assert_string_equal(scene->peer.waiting[before].method, "Fetch.continueWithAuth");
    assert_string_equal(scene->peer.waiting[before].response, response);
}

static void expect_refused(struct scene *scene, int code, const char *words)
{
    assert_null(scene->session);
    assert_int_equal(scene->refused.code, code);
    assert_string_equal(scene->refused.text, words);
    assert_true(scene_is_asked(scene, "Target.disposeBrowserContext"));
}

static void a_context_is_ready_when_the_proxy_has_seen_its_pass(void **state)
{
    struct scene *scene = *state;
    struct tb_pass *pass = pass_of(scene);
    assert_true(scene_is_asked(scene, "Fetch.enable"));
    expect_answer(scene, ASKED("Proxy"), "ProvideCredentials");
    assert_null(tb_pass_egress(pass));
    tb_pass_note_known(pass);
    scene_answer_one(scene, "Page.navigate", 0);
    assert_true(scene_is_asked(scene, "Fetch.disable"));
    scene_answer_all(scene);
    assert_non_null(scene->session);
    assert_ptr_equal(tb_pass_egress(pass), &egress);
}

static void a_browser_that_never_asks_for_credentials_gets_no_session(void **state)
{
    struct scene *scene = *state;
    scene_answer_one(scene, "Page.navigate", 0);
    expect_refused(scene, TB_E_PROTOCOL,
                   "the browser did not accept its credentials for the proxy");
}

static void a_visit_that_does_not_end_is_given_up(void **state)
{
    struct scene *scene = *state;
    expect_answer(scene, ASKED("Proxy"), "ProvideCredentials");
    scene->peer.count = 0;
    tb_clock_manual_advance(&scene->clock, TB_BROWSER_START_MS + TB_CDP_COMMAND_MS);
    scene_turn(scene);
    expect_refused(scene, TB_E_TIMEOUT, "the browser did not answer in time");
}

/* The words of the browser for an empty answer are those of a failure. */
static void a_visit_that_fails_has_taught_the_pass_all_the_same(void **state)
{
    struct scene *scene = *state;
    tb_pass_note_known(pass_of(scene));
    scene_answer_one(scene, "Page.navigate", FAILED);
    scene_answer_all(scene);
    assert_non_null(scene->session);
}

static void a_browser_that_asks_again_gets_nothing_more(void **state)
{
    struct scene *scene = *state;
    expect_answer(scene, ASKED("Proxy"), "ProvideCredentials");
    expect_answer(scene, ASKED("Proxy"), "CancelAuth");
    expect_answer(scene, ASKED("Proxy"), "CancelAuth");
    scene_answer_one(scene, "Page.navigate", FAILED);
    expect_refused(scene, TB_E_PROTOCOL,
                   "the browser did not accept its credentials for the proxy");
}

static void a_server_that_asks_does_not_get_the_pass(void **state)
{
    struct scene *scene = *state;
    expect_answer(scene, ASKED("Server"), "CancelAuth");
    expect_answer(scene, "{\"sessionId\":\"S1\",\"method\":\"Fetch.authRequired\"}", "CancelAuth");
    expect_answer(scene, ASKED("Proxy"), "ProvideCredentials");
}

static void requests_of_the_tab_go_on_meanwhile(void **state)
{
    struct scene *scene = *state;
    size_t before = scene->peer.count;
    scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Fetch.requestPaused\",\"params\":{"
                     "\"requestId\":\"r7\"}}");
    scene_say(scene, "{\"sessionId\":\"S1\",\"method\":\"Fetch.requestPaused\",\"params\":[]}");
    assert_int_equal(scene->peer.count, before + 2);
    assert_string_equal(scene->peer.waiting[before].method, "Fetch.continueRequest");
}

static void who_asks_later_gets_nothing(void **state)
{
    struct scene *scene = *state;
    tb_pass_note_known(pass_of(scene));
    scene_answer_all(scene);
    assert_non_null(scene->session);
    scene_say(scene, ASKED("Proxy"));
    assert_false(scene_is_asked(scene, "Fetch.continueWithAuth"));
}

static void a_tab_that_crashes_meanwhile_is_made_anew_with_another_pass(void **state)
{
    struct scene *scene = *state;
    char before[TB_TOKEN_SIZE];
    memcpy(before, tb_pass_user(pass_of(scene)), sizeof(before));
    scene->peer.count = 0;
    scene_tell(scene, CRASHED, scene_in_opener);
    assert_true(scene_is_asked(scene, "Target.disposeBrowserContext"));
    assert_true(scene_is_asked(scene, "Target.createBrowserContext"));
    assert_string_not_equal(tb_pass_user(pass_of(scene)), before);
    scene_answer_until(scene, "Page.navigate");
    tb_pass_note_known(pass_of(scene));
    scene_answer_all(scene);
    assert_non_null(scene->session);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        CASE(a_context_is_ready_when_the_proxy_has_seen_its_pass),
        CASE(a_browser_that_never_asks_for_credentials_gets_no_session),
        CASE(a_visit_that_does_not_end_is_given_up),
        CASE(a_visit_that_fails_has_taught_the_pass_all_the_same),
        CASE(a_browser_that_asks_again_gets_nothing_more),
        CASE(a_server_that_asks_does_not_get_the_pass),
        CASE(requests_of_the_tab_go_on_meanwhile),
        CASE(who_asks_later_gets_nothing),
        CASE(a_tab_that_crashes_meanwhile_is_made_anew_with_another_pass),
    };
#undef CASE
    return cmocka_run_group_tests(tests, NULL, NULL);
}
