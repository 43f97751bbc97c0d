/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/emulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void note(const char *method, struct tb_str params, void *user)
{
    tb_buf_printf(user, "%s %.*s\n", strchr(method, '.') + 1, TB_STR_ARG(params));
}

static void check(const char *args, bool all, const char *wanted)
{
    struct cJSON *json = tb_json_parse(tb_str_of(args));
    struct cJSON *emulation = tb_json_new_object();
    struct tb_buf out;
    struct tb_err err;
    tb_buf_init(&out, 1 << 16);
    assert_int_equal(tb_cdp_emulation_merge(emulation, json, &err), 0);
    tb_cdp_emulation_commands(emulation, all, note, &out);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data, wanted);
    tb_buf_fini(&out);
    tb_json_free(emulation);
    tb_json_free(json);
}

static void only_what_is_named_is_changed(void **state)
{
    (void)state;
    check("{}", false, "");
    check("{\"timezone\":\"Asia/Tokyo\"}", false,
          "setTimezoneOverride {\"timezoneId\":\"Asia/Tokyo\"}\n");
    check(
        "{\"color_scheme\":\"dark\",\"offline\":true}", false,
        "setEmulatedMedia {\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"dark\"}]}\n"
        "emulateNetworkConditions {\"offline\":true,\"latency\":0,\"downloadThroughput\":-1,"
        "\"uploadThroughput\":-1}\n");
    check("{\"viewport\":{\"width\":5,\"height\":6,\"mobile\":true}}", false,
          "setDeviceMetricsOverride {\"width\":5,\"height\":6,\"deviceScaleFactor\":1,\"mobile\":"
          "true}\nsetTouchEmulationEnabled {\"enabled\":true}\n");
    check("{\"geolocation\":{\"latitude\":1,\"longitude\":2}}", false,
          "setGeolocationOverride {\"latitude\":1,\"longitude\":2,\"accuracy\":1}\n");
}

static void reset_undoes_everything(void **state)
{
    (void)state;
    check("{\"locale\":\"de\"}", true,
          "setTouchEmulationEnabled {\"enabled\":false}\nclearDeviceMetricsOverride \n"
          "setUserAgentOverride {\"userAgent\":\"\"}\n"
          "setEmulatedMedia {\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"\"}]}\n"
          "setLocaleOverride {\"locale\":\"de\"}\nsetTimezoneOverride {\"timezoneId\":\"\"}\n"
          "clearGeolocationOverride \nemulateNetworkConditions {\"offline\":false,\"latency\":0,"
          "\"downloadThroughput\":-1,\"uploadThroughput\":-1}\n");
}

static void a_device_is_a_screen_and_a_user_agent(void **state)
{
    struct cJSON *emulation = tb_json_new_object();
    struct cJSON *args = tb_json_parse(TB_STR("{\"device\":\"pixel 8\"}"));
    struct cJSON *bad = tb_json_parse(TB_STR("{\"device\":\"abacus\"}"));
    struct tb_err err = {.text = ""};
    int64_t width = 0;
    (void)state;
    assert_int_equal(tb_cdp_emulation_merge(emulation, args, &err), 0);
    assert_true(tb_json_int(tb_json_get(tb_json_get(emulation, "viewport"), "width"), &width));
    assert_int_equal(width, 412);
    assert_int_equal(tb_cdp_emulation_merge(emulation, bad, &err), TB_E_PARAMS);
    assert_non_null(strstr(err.text, "iPhone 15"));
    struct cJSON *names = tb_cdp_emulation_devices();
    JSON_ARRAY_FOREACH(name, names) {
        struct tb_str text;
        assert_true(tb_json_str(name, &text));
        tb_json_set_str(args, "device", text);
        assert_int_equal(tb_cdp_emulation_merge(emulation, args, &err), 0);
    }
    tb_json_free(names);
    tb_json_free(emulation);
    tb_json_free(args);
    tb_json_free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_named_is_changed),
        cmocka_unit_test(reset_undoes_everything),
        cmocka_unit_test(a_device_is_a_screen_and_a_user_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
