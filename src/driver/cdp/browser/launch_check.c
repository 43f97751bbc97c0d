/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/launch_check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "driver/cdp/browser/find.h"

/* Names without their dashes: the browser takes one dash as well as two. */
static const struct group {
    const char *why;
    const char *names[20];
} groups[] = {
    {"it turns off the sandbox, which only browser.no_sandbox may do",
     {"no-sandbox", "no-zygote", "no-zygote-sandbox", "single-process", "in-process-gpu",
      "disable-setuid-sandbox", "disable-namespace-sandbox", "disable-seccomp-filter-sandbox",
      "disable-gpu-sandbox", "allow-sandbox-debugging", "allow-no-sandbox-job",
      "service-sandbox-type"}},
    {"it changes which pages share a process, which is for tabard to decide",
     {"process-per-site", "process-per-tab"}},
    {"it lets others drive the browser, which only tabard may do",
     {"remote-debugging-port", "remote-debugging-pipe", "remote-debugging-address",
      "remote-debugging-io-pipes", "remote-debugging-socket-name", "remote-allow-origins",
      "auto-open-devtools-for-tabs", "custom-devtools-frontend"}},
    {"tabard gives each browser its own directory and removes it afterwards",
     {"user-data-dir", "data-path", "disk-cache-dir", "profile-directory", "homedir",
      "crash-dumps-dir"}},
    {"it runs other code with the rights of the browser or of its pages",
     {"load-extension", "disable-extensions-except", "load-component-extension", "load-apps",
      "extensions-on-chrome-urls", "browser-subprocess-path", "renderer-cmd-prefix",
      "utility-cmd-prefix", "zygote-cmd-prefix", "gpu-launcher", "ppapi-plugin-launcher",
      "register-pepper-plugins", "js-flags", "app"}},
    {"it lets sites read each other's pages",
     {"disable-web-security", "disable-site-isolation-trials", "disable-site-isolation-for-policy",
      "allow-file-access", "allow-file-access-from-files", "allow-running-insecure-content",
      "unsafely-treat-insecure-origin-as-secure"}},
    {"it turns off certificate checks; name the certificate that you trust with "
     "--ignore-certificate-errors-spki-list",
     {"ignore-certificate-errors", "ignore-urlfetcher-cert-requests"}},
    {"it decides where traffic goes, which is for tabard to decide",
     {"proxy-server", "proxy-pac-url", "proxy-auto-detect", "proxy-bypass-list", "no-proxy-server",
      "host-rules", "enable-quic"}},
    {"it writes what pages send and receive into files",
     {"log-net-log", "net-log-capture-mode", "ssl-key-log-file", "log-file", "trace-startup",
      "trace-startup-file", "enable-tracing", "enable-tracing-output"}},
    {"it makes a browser that does one thing and ends",
     {"screenshot", "print-to-pdf", "dump-dom", "repl", "pack-extension"}},
    {"tabard sets it itself", {"disable-features", "no-startup-window", "type"}},
    {"use the setting browser.headless instead", {"headless"}},
};

static const char *why_not(struct tb_str name)
{
    for (size_t i = 0; i < TB_COUNT(groups); i++) {
        for (size_t k = 0; k < TB_COUNT(groups[i].names) && groups[i].names[k]; k++) {
            if (tb_str_eq_nocase(name, tb_str_of(groups[i].names[k]))) {
                return groups[i].why;
            }
        }
    }
    return NULL;
}

/* Those that take away what a switch above would. */
static const char *why_not_feature(struct tb_str names)
{
    static const char *const refused[] = {"NetworkServiceInProcess", "NetworkServiceInProcess2"};
    while (names.ptr) {
        struct tb_str name = tb_str_cut(&names, ',');
        name = tb_str_trim(tb_str_cut(&name, ':')); /* its parameters follow */
        name = tb_str_cut(&name, '<');              /* its field trial does */
        for (size_t i = 0; i < TB_COUNT(refused); i++) {
            if (tb_str_eq_cstr(name, refused[i])) {
                return "its NetworkServiceInProcess takes the network out of its own process";
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
    const char *why =
        tb_str_eq_nocase(name, TB_STR("enable-features")) ? why_not_feature(value) : why_not(name);
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
