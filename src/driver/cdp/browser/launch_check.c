/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/launch_check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "driver/cdp/browser/find.h"

static const char for_tests[] = "it gives pages powers that only tests of the browser need";
static const char reads_others[] = "it lets sites read each other's pages";

/* Names without their dashes: the browser takes one dash as well as two. A star at the end stands
 * for any end. */
static const struct group {
    const char *why;
    const char *names[20];
} groups[] = {
    {"it turns off the sandbox, which only browser.no_sandbox may do",
     {"no-sandbox*", "no-zygote*", "single-process", "in-process-gpu", "disable-setuid-sandbox",
      "disable-namespace-sandbox", "disable-seccomp-filter-sandbox", "disable-gpu-sandbox",
      "disable-landlock-sandbox", "disable-webnn-compiler-sandbox", "allow-sandbox-debugging",
      "allow-no-sandbox-job", "service-sandbox-type"}},
    {"it changes which pages share a process, which is for tabard to decide",
     {"process-per-site", "process-per-tab"}},
    {"it lets others drive the browser, which only tabard may do",
     {"remote-debugging-*", "remote-allow-origins", "auto-open-devtools-for-tabs",
      "custom-devtools-frontend", "enable-ui-devtools"}},
    {"tabard gives each browser its own directory and removes it afterwards",
     {"user-data-dir", "data-path", "disk-cache-dir", "profile-directory", "homedir",
      "crash-dumps-dir"}},
    {"it runs other code with the rights of the browser or of its pages",
     {"load-extension", "disable-extensions-except", "load-component-extension", "load-apps",
      "extensions-on-*", "install-isolated-web-app-from-*", "browser-subprocess-path",
      "renderer-cmd-prefix", "utility-cmd-prefix", "zygote-cmd-prefix", "gpu-launcher",
      "ppapi-plugin-launcher", "register-pepper-plugins", "js-flags", "app"}},
    {for_tests,
     {"enable-blink-test-features", "expose-internals-for-testing", "enable-gpu-benchmarking",
      "enable-skia-benchmarking", "enable-net-benchmarking", "enable-benchmarking*",
      "dom-automation", "run-web-tests"}},
    {"it turns on features that are named elsewhere; name them with --enable-features",
     {"force-fieldtrial*", "enable-field-trial-config", "variations-*", "fake-variations-*"}},
    {reads_others,
     {"disable-web-security", "disable-site-isolation-*", "allow-file-access*",
      "allow-running-insecure-content", "unsafely-treat-insecure-origin-as-secure"}},
    {"it turns off certificate checks; name the certificate that you trust with "
     "--ignore-certificate-errors-spki-list",
     {"ignore-certificate-errors", "ignore-urlfetcher-cert-requests", "allow-insecure-localhost",
      "use-mock-cert-verifier-for-testing"}},
    {"it decides where traffic goes, which is for tabard to decide",
     {"proxy-*", "no-proxy-server", "host-rules", "host-resolver-rules", "testing-fixed-*",
      "enable-quic", "origin-to-force-quic-on", "webrtc-ip-handling-policy",
      "force-webrtc-ip-handling-policy", "allow-loopback-in-peer-connection"}},
    {"it writes what pages send and receive into files",
     {"log-net-log", "net-log-*", "ssl-key-log-file", "log-file", "trace-*", "enable-tracing*",
      "background-tracing-output-path", "webrtc-event-logging"}},
    {"with it the browser does one thing and exits",
     {"screenshot", "print-to-pdf", "dump-dom", "repl", "pack-extension"}},
    {"tabard sets it itself", {"disable-features", "no-startup-window", "type", "password-store"}},
    {"use the setting browser.headless instead", {"headless"}},
};

static bool fits(struct tb_str name, const char *pattern)
{
    struct tb_str known = tb_str_of(pattern);
    bool any_end = known.ptr[known.len - 1] == '*';
    known.len -= any_end ? 1 : 0;
    return tb_str_eq_nocase(any_end ? tb_str_sub(name, 0, known.len) : name, known);
}

static const char *why_not(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(groups); i++) {
        for (size_t k = 0; k < TB_COUNT(groups[i].names) && groups[i].names[k]; k++) {
            if (fits(name, groups[i].names[k])) {
                return groups[i].why;
            }
        }
    }
    return NULL;
}

/* What takes away by its value what a switch above would. Of a feature that tabard turns off and
 * these switches turn on the browser takes our word. */
static const struct value {
    const char *why;
    const char *switches[2];
    const char *names[4];
} values[] = {
    {"its NetworkServiceInProcess takes the network out of its own process",
     {"enable-features"},
     {"NetworkServiceInProcess", "NetworkServiceInProcess2"}},
    {for_tests, {"enable-features", "enable-blink-features"}, {"MojoJS", "MojoJSTest"}},
    {reads_others,
     {"blink-settings"},
     {"webSecurityEnabled", "allowUniversalAccessFromFileURLs", "allowFileAccessFromFileURLs",
      "allowRunningOfInsecureContent"}},
};

static bool is_one_of(struct tb_str name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count && list[i]; i++) {
        if (tb_str_eq_nocase(name, tb_str_of(list[i]))) {
            return true;
        }
    }
    return false;
}

static const char *why_not_value(struct tb_str name, struct tb_str value)
{
    while (value.ptr) {
        struct tb_str word = tb_str_cut(&value, ',');
        word = tb_str_cut(&word, '=');              /* a setting's value follows */
        word = tb_str_cut(&word, ':');              /* a feature's parameters do */
        word = tb_str_trim(tb_str_cut(&word, '<')); /* its field trial does */
        for (size_t i = 0; i < TB_COUNT(values); i++) {
            if (is_one_of(name, values[i].switches, TB_COUNT(values[i].switches)) &&
                is_one_of(word, values[i].names, TB_COUNT(values[i].names))) {
                return values[i].why;
            }
        }
    }
    return NULL;
}

static int check_arg(struct tb_str given, struct tb_err *err)
{
    struct tb_str rest = tb_str_trim(given);
    size_t dashes = 0;
    while (dashes < 2 && dashes < rest.len && rest.ptr[dashes] == '-') {
        dashes++;
    }
    struct tb_str value = tb_str_sub(rest, dashes, rest.len);
    struct tb_str name = tb_str_cut(&value, '=');
    if (!dashes || !name.len) {
        return tb_fail(err, TB_E_CONFIG,
                       "browser.args has '%.*s', which is not a switch: each must begin with --",
                       TB_STR_ARG(rest));
    }
    const char *why = why_not(name);
    why = why ? why : why_not_value(name, value);
    return why ? tb_fail(err, TB_E_CONFIG, "browser.args must not contain --%.*s: %s",
                         TB_STR_ARG(name), why)
               : 0;
}

int tb_cdp_launch_check_args(const struct tb_config *config, struct tb_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < config->browser_args.count; i++) {
        rc = check_arg(tb_str_of(config->browser_args.items[i]), err);
    }
    return rc;
}

int tb_cdp_launch_check_path(const struct tb_config *config, struct tb_err *err)
{
    if (!config->browser_path[0] || tb_cdp_browser_find(config->browser_path, true)) {
        return 0;
    }
    return tb_fail(
        err, TB_E_CONFIG,
        "browser.path is %s, which is not an executable program; fix it, or remove it to search "
        "the usual places",
        config->browser_path);
}

int tb_cdp_launch_check_remote_ca(const struct tb_config *config, struct tb_err *err)
{
    const char *path = config->browser_remote_ca;
    struct stat info;
    if (!path[0]) {
        return 0;
    }
    int rc = stat(path, &info) < 0 || access(path, R_OK) < 0 ? -errno : 0;
    if (rc < 0 || !S_ISREG(info.st_mode)) {
        return tb_fail(err, TB_E_CONFIG, "browser.remote_ca is %s, which cannot be read: %s", path,
                       rc < 0 ? tb_err_name(rc) : "it is not a file");
    }
    return 0;
}
