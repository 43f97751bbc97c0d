/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every driver, with a real browser. */
#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "driver/cdp/browser/find.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/cdp.h"
#include "io/exec_guard.h"

#include "suite/driver_cases.h"

static bool is_marked(struct driver_seat *seat)
{
    static const struct driver_call list = {TB_OP_COOKIES, "{\"domain\":\"mark.test\"}"};
    assert_int_equal(driver_run(seat, &list), 0);
    const struct cJSON *cookie = tb_json_first(tb_json_get(seat->result.data, "cookies"));
    return cookie && tb_str_eq_cstr(tb_json_text(cookie, "value"), "marked");
}

static void hinder(struct driver_lab *lab, bool on)
{
    tb_free(lab->config.browser_path);
    lab->config.browser_path = tb_strdup(on ? "/nowhere" : "");
}

static bool lose(struct driver_seat *seat)
{
    const struct tb_cdp_browser *browser = seat->session->browser;
    return browser && kill(tb_launch_pid(browser->launch), SIGKILL) == 0;
}

/* In place of all cases: skipped is not passed. */
static void it_does_what_every_driver_does(void **state)
{
    (void)state;
    print_message("no Chromium is installed: install chromium-headless-shell to run this\n");
    skip();
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    if (!tb_cdp_browser_find("", true)) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(it_does_what_every_driver_does)};
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const struct driver_subject subject = {
        .name = "cdp",
        .driver = &tb_driver_cdp,
        .quick = {TB_OP_NAVIGATE, "{\"url\":\"about:blank\"}"},
        .slow = {TB_OP_WAIT, "{\"text\":\"this never comes\"}"},
        .refused = {TB_OP_NAVIGATE, "{\"url\":\"file:///etc/passwd\"}"},
        .mark = {TB_OP_COOKIES, "{\"action\":\"set\",\"name\":\"c\",\"value\":\"marked\","
                                "\"url\":\"https://mark.test/\"}"},
        .is_marked = is_marked,
        .hinder = hinder,
        .lose = lose,
    };
    return driver_cases(&subject);
}
