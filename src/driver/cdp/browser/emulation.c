/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/emulation.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "driver/cdp/browser/session_internal.h"

enum {
    PARAMS_MAX = 4096,
};

struct device {
    const char *name;
    int width;
    int height;
    double scale;
    const char *system; /* of its user agent */
    bool android;       /* else iOS, or a desktop when not mobile */
    bool mobile;
};

static const struct device devices[] = {
    {"iPhone SE", 375, 667, 2, "iPhone; CPU iPhone OS 17_5 like Mac OS X", false, true},
    {"iPhone 15", 393, 852, 3, "iPhone; CPU iPhone OS 17_5 like Mac OS X", false, true},
    {"iPhone 15 Pro Max", 430, 932, 3, "iPhone; CPU iPhone OS 17_5 like Mac OS X", false, true},
    {"iPad Mini", 768, 1024, 2, "iPad; CPU OS 17_5 like Mac OS X", false, true},
    {"iPad Pro 11", 834, 1194, 2, "iPad; CPU OS 17_5 like Mac OS X", false, true},
    {"Pixel 7", 412, 915, 2.625, "Linux; Android 14; Pixel 7", true, true},
    {"Pixel 8", 412, 915, 2.625, "Linux; Android 14; Pixel 8", true, true},
    {"Galaxy S23", 360, 780, 3, "Linux; Android 14; SM-S911B", true, true},
    {"Galaxy Tab S8", 753, 1205, 2, "Linux; Android 14; SM-X700", true, true},
    {"Laptop", 1366, 768, 1, NULL, false, false},
    {"Desktop", 1920, 1080, 1, NULL, false, false},
};

struct cJSON *tb_cdp_emulation_devices(void)
{
    struct cJSON *names = tb_json_new_array();
    for (size_t i = 0; i < TB_COUNT(devices); i++) {
        tb_json_append_take(names, tb_json_new_str(tb_str_of(devices[i].name)));
    }
    return names;
}

static const struct device *find(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(devices); i++) {
        if (tb_str_eq_nocase(name, tb_str_of(devices[i].name))) {
            return &devices[i];
        }
    }
    return NULL;
}

static int unknown_device(struct tb_str name, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(PARAMS_MAX);
    for (size_t i = 0; i < TB_COUNT(devices); i++) {
        tb_buf_printf(&names, "%s%s", i ? ", " : "", devices[i].name);
    }
    return tb_fail(err, TB_E_PARAMS, "unknown device \"%.*s\"; known devices: %.*s",
                   TB_STR_ARG(tb_str_sub(name, 0, 60)), TB_STR_ARG(tb_buf_str(&names)));
}

static struct cJSON *viewport_of(const struct device *device)
{
    struct cJSON *viewport = tb_json_new_object();
    tb_json_set_int(viewport, "width", device->width);
    tb_json_set_int(viewport, "height", device->height);
    tb_json_set_num(viewport, "scale", device->scale);
    tb_json_set_bool(viewport, "mobile", device->mobile);
    return viewport;
}

int tb_cdp_emulation_merge(struct cJSON *emulation, const struct cJSON *args, struct tb_err *err)
{
    static const char *const names[] = {"viewport", "color_scheme", "locale",
                                        "timezone", "geolocation",  "offline"};
    struct tb_str name;
    if (tb_json_str(tb_json_get(args, "device"), &name)) {
        const struct device *device = find(name);
        if (!device) {
            return unknown_device(name, err);
        }
        tb_json_set_cstr(emulation, "device", device->name);
        tb_json_set_take(emulation, "viewport", viewport_of(device));
    }
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const struct cJSON *value = tb_json_get(args, names[i]);
        if (value) {
            tb_json_set_take(emulation, names[i], tb_json_dup(value));
        }
    }
    return 0;
}

static double num_at(const struct cJSON *json, const char *key, double fallback)
{
    tb_json_num(tb_json_get(json, key), &fallback);
    return fallback;
}

/* Prints the params and hands the command on; frees them. */
static void emit_take(tb_cdp_emulation_fn *fn, void *user, const char *method, struct cJSON *params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(PARAMS_MAX);
    tb_json_print(params, &text);
    tb_json_free(params);
    fn(method, tb_buf_str(&text), user);
}

static void emit_viewport(const struct cJSON *emulation, tb_cdp_emulation_fn *fn, void *user)
{
    const struct cJSON *viewport = tb_json_get(emulation, "viewport");
    bool mobile = false;
    struct cJSON *params = tb_json_new_object();
    tb_json_bool(tb_json_get(viewport, "mobile"), &mobile);
    tb_json_set_num(params, "width", num_at(viewport, "width", 0));
    tb_json_set_num(params, "height", num_at(viewport, "height", 0));
    tb_json_set_num(params, "deviceScaleFactor", num_at(viewport, "scale", 1));
    tb_json_set_bool(params, "mobile", mobile);
    emit_take(fn, user, "Emulation.setDeviceMetricsOverride", params);
    params = tb_json_new_object();
    tb_json_set_bool(params, "enabled", mobile);
    emit_take(fn, user, "Emulation.setTouchEmulationEnabled", params);
}

/* An empty user agent is the browser's own. */
static void emit_agent(const struct cJSON *emulation, tb_cdp_emulation_fn *fn, void *user)
{
    const struct device *device = find(tb_json_text(emulation, "device"));
    TB_AUTO(tb_buf_fini) struct tb_buf agent = TB_BUF(PARAMS_MAX);
    if (device && device->mobile && device->android) {
        tb_buf_printf(&agent,
                      "Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) "
                      "Chrome/140.0.0.0 Mobile Safari/537.36",
                      device->system);
    } else if (device && device->mobile) {
        tb_buf_printf(&agent,
                      "Mozilla/5.0 (%s) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
                      "Mobile/15E148 Safari/604.1",
                      device->system);
    }
    struct cJSON *params = tb_json_new_object();
    tb_json_set_str(params, "userAgent", tb_buf_str(&agent));
    emit_take(fn, user, "Emulation.setUserAgentOverride", params);
}

static void emit_scheme(const struct cJSON *emulation, tb_cdp_emulation_fn *fn, void *user)
{
    struct tb_str scheme = tb_json_text(emulation, "color_scheme");
    struct cJSON *params = tb_json_new_object();
    struct cJSON *features = tb_json_new_array();
    struct cJSON *feature = tb_json_new_object();
    tb_json_set_cstr(feature, "name", "prefers-color-scheme");
    tb_json_set_str(feature, "value",
                    tb_str_eq_cstr(scheme, "none") ? (struct tb_str){"", 0} : scheme);
    tb_json_append_take(features, feature);
    tb_json_set_take(params, "features", features);
    emit_take(fn, user, "Emulation.setEmulatedMedia", params);
}

static void emit_text(const struct cJSON *emulation, const char *key, const char *param,
                      const char *method, tb_cdp_emulation_fn *fn, void *user)
{
    struct cJSON *params = tb_json_new_object();
    tb_json_set_str(params, param, tb_json_text(emulation, key));
    emit_take(fn, user, method, params);
}

static void emit_place(const struct cJSON *emulation, tb_cdp_emulation_fn *fn, void *user)
{
    const struct cJSON *place = tb_json_get(emulation, "geolocation");
    struct cJSON *params = tb_json_new_object();
    tb_json_set_num(params, "latitude", num_at(place, "latitude", 0));
    tb_json_set_num(params, "longitude", num_at(place, "longitude", 0));
    tb_json_set_num(params, "accuracy", num_at(place, "accuracy", 1));
    emit_take(fn, user, "Emulation.setGeolocationOverride", params);
}

static void emit_offline(const struct cJSON *emulation, tb_cdp_emulation_fn *fn, void *user)
{
    bool offline = false;
    struct cJSON *params = tb_json_new_object();
    tb_json_bool(tb_json_get(emulation, "offline"), &offline);
    tb_json_set_bool(params, "offline", offline);
    tb_json_set_int(params, "latency", 0);
    tb_json_set_int(params, "downloadThroughput", -1);
    tb_json_set_int(params, "uploadThroughput", -1);
    emit_take(fn, user, "Network.emulateNetworkConditions", params);
}

void tb_cdp_emulation_commands(const struct cJSON *emulation, bool all, tb_cdp_emulation_fn *fn,
                               void *user)
{
    static const struct tb_str none = {NULL, 0};
    if (tb_json_get(emulation, "viewport")) {
        emit_viewport(emulation, fn, user);
    } else if (all) {
        fn("Emulation.setTouchEmulationEnabled", TB_STR("{\"enabled\":false}"), user);
        fn("Emulation.clearDeviceMetricsOverride", none, user);
    }
    if (all || tb_json_get(emulation, "device")) {
        emit_agent(emulation, fn, user);
    }
    if (all || tb_json_get(emulation, "color_scheme")) {
        emit_scheme(emulation, fn, user);
    }
    if (all || tb_json_get(emulation, "locale")) {
        emit_text(emulation, "locale", "locale", "Emulation.setLocaleOverride", fn, user);
    }
    if (all || tb_json_get(emulation, "timezone")) {
        emit_text(emulation, "timezone", "timezoneId", "Emulation.setTimezoneOverride", fn, user);
    }
    if (tb_json_get(emulation, "geolocation")) {
        emit_place(emulation, fn, user);
    } else if (all) {
        fn("Emulation.clearGeolocationOverride", none, user);
    }
    if (all || tb_json_get(emulation, "offline")) {
        emit_offline(emulation, fn, user);
    }
}

static void post(const char *method, struct tb_str params, void *user)
{
    struct tb_cdp_page *page = user;
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), method, params);
}

void tb_cdp_emulation_apply(const struct cJSON *emulation, bool all, struct tb_cdp_page *page)
{
    tb_cdp_emulation_commands(emulation, all, post, page);
}

void tb_cdp_emulation_set_take(struct tb_driver_session *session, struct cJSON *emulation)
{
    const struct cJSON *viewport = tb_json_get(emulation, "viewport");
    int64_t width = session->own_width;
    int64_t height = session->own_height;
    tb_json_int(tb_json_get(viewport, "width"), &width);
    tb_json_int(tb_json_get(viewport, "height"), &height);
    session->use.width = (int)width;
    session->use.height = (int)height;
    session->use.keeps_network = true; /* some of it ends with the domain */
    tb_json_free(session->emulation);
    session->emulation = emulation;
}

void tb_cdp_emulation_allow_place(const struct tb_driver_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(256);
    tb_buf_printf(&params, "{\"permissions\":[\"geolocation\"],\"browserContextId\":\"%s\"}",
                  tb_cdp_session_context_id(session));
    tb_cdp_post(session->browser->peer.conn, NULL, "Browser.grantPermissions", tb_buf_str(&params));
}
