/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/browser_version.h"
#include "core/limits.h"
#include "daemon/dirs.h"
#include "daemon/doors.h"
#include "daemon/lock.h"
#include "daemon/secret.h"
#include "daemon/token.h"
#include "driver/cdp/browser/find.h"
#include "driver/cdp/browser/launch_check.h"
#include "driver/namespaces.h"
#include "front/guard.h"

#define SAY(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

/* Anything can be executable; what it calls itself tells whether it is a browser of the right kind.
 */
static void check_version(const char *path, struct tb_finding *finding)
{
    static const char *const kin[] = {"Chrom", "Edge", "Brave", "Vivaldi", "Opera"};
    char version[80];
    tb_browser_version(path, version, sizeof(version));
    for (size_t i = 0; i < TB_COUNT(kin); i++) {
        if (strstr(version, kin[i])) {
            SAY(finding->seen, "%.120s (%s)", path, version);
            return;
        }
    }
    finding->health = TB_HEALTH_BAD;
    SAY(finding->seen, "%.120s is not Chromium: with --version it prints %s%s%s", path,
        version[0] ? "'" : "no version", version, version[0] ? "'" : "");
    SAY(finding->mend, "set browser.path to Chromium or Chrome, or remove it to search the usual "
                       "places");
}

static void check_browser(const struct tb_config *config, struct tb_finding *finding)
{
    const char *path = tb_cdp_browser_find(config->browser_path, true);
    struct tb_err err;
    if (tb_cdp_launch_check_args(config, &err) < 0) {
        finding->health = TB_HEALTH_BAD;
        SAY(finding->seen, "%.250s", err.text);
        SAY(finding->mend, "remove it from browser.args");
        return;
    }
    if (path) {
        check_version(path, finding);
        return;
    }
    finding->health = TB_HEALTH_BAD;
    if (config->browser_path[0]) {
        SAY(finding->seen, "browser.path is %s, which is not an executable program",
            config->browser_path);
        SAY(finding->mend, "fix browser.path, or remove it to search the usual places");
    } else {
        SAY(finding->seen, "no Chromium in the usual places");
        SAY(finding->mend, "apt-get install chromium chromium-headless-shell, or set browser.path");
    }
}

static void check_sandbox(const struct tb_config *config, struct tb_finding *finding)
{
    struct stat helper;
    if (config->browser_no_sandbox) {
        finding->health = TB_HEALTH_WARN;
        SAY(finding->seen, "switched off by browser.no_sandbox");
        SAY(finding->mend,
            "remove browser.no_sandbox: a hostile page can reach everything that the daemon can");
        return;
    }
    bool namespaces = tb_namespaces_allowed();
    bool setuid =
        stat("/usr/lib/chromium/chrome-sandbox", &helper) == 0 && (helper.st_mode & S_ISUID) != 0;
    if (!namespaces && !setuid) {
        finding->health = TB_HEALTH_BAD;
        SAY(finding->seen, "the kernel does not let unprivileged users create namespaces");
        SAY(finding->mend,
            "sysctl kernel.unprivileged_userns_clone=1, or install chromium-sandbox");
        return;
    }
    SAY(finding->seen, "%s%s", namespaces ? "user namespaces" : "setuid helper",
        geteuid() == 0 ? "; browsers run as an unprivileged user" : "");
}

/* What a start would say, by the checks that it makes itself. */
static void refuse(struct tb_finding *finding, const struct tb_err *err)
{
    finding->health = TB_HEALTH_BAD;
    SAY(finding->seen, "%.250s", err->text);
    SAY(finding->mend, "do as it says; until then the daemon cannot be started");
}

static void check_dir(const char *path, const char *flag, struct tb_finding *finding)
{
    struct tb_err err;
    SAY(finding->seen, "%s", path);
    if (tb_dirs_try(path, flag, &err) < 0) {
        refuse(finding, &err);
    }
}

static void check_state_dir(const struct tb_config *config, struct tb_finding *finding)
{
    check_dir(config->state_dir, "--state-dir", finding);
}

static void check_runtime_dir(const struct tb_config *config, struct tb_finding *finding)
{
    check_dir(config->runtime_dir, "--runtime-dir", finding);
}

static void check_ports(const struct tb_config *config, struct tb_finding *finding)
{
    char holder[TB_LOCK_HOLDER_SIZE];
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf addresses = TB_BUF(TB_KIB);
    tb_lock_holder(config->state_dir, holder, sizeof(holder));
    if (holder[0]) {
        SAY(finding->seen, "a daemon is running: %.120s", holder);
        return;
    }
    int rc = tb_guard_check_config(config, &err);
    rc = rc < 0 ? rc : tb_doors_try(config, &addresses, &err);
    if (rc < 0) {
        refuse(finding, &err);
        return;
    }
    tb_buf_append_cstr(&addresses, rc > 1 ? " are free" : " is free");
    SAY(finding->seen, "%.*s", TB_STR_ARG(tb_buf_str(&addresses)));
}

/* The store lives in the state directory: a file must be writable there, and there must be room. */
static void check_store(const struct tb_config *config, struct tb_finding *finding)
{
    const unsigned long long room_min = 100ULL * TB_MIB;
    struct statvfs room;
    TB_AUTO(tb_free) char *probe = tb_dirs_join(config->state_dir, "doctor.probe");
    if (access(config->state_dir, F_OK) < 0) {
        SAY(finding->seen, "will be created at the first start");
        return;
    }
    int rc = tb_file_write(probe, TB_STR("probe"), 0600);
    unlink(probe);
    if (rc < 0) {
        finding->health = TB_HEALTH_BAD;
        SAY(finding->seen, "cannot write: %s", tb_err_name(rc));
        SAY(finding->mend, "free some disk space, or fix the permissions, in %.200s",
            config->state_dir);
        return;
    }
    if (statvfs(config->state_dir, &room) == 0 &&
        (unsigned long long)room.f_bavail * room.f_frsize < room_min) {
        finding->health = TB_HEALTH_WARN;
        SAY(finding->seen, "less than 100 MiB left on the disk");
        SAY(finding->mend, "free some disk space in %.200s", config->state_dir);
        return;
    }
    SAY(finding->seen, "writable");
}

/* What the next start would say. A running daemon may still put its secret back. */
static void check_keys(const struct tb_config *config, struct tb_finding *finding)
{
    uint8_t secret[TB_SECRET_BYTES];
    char token[TB_TOKEN_SIZE];
    struct tb_err err;
    int rc = tb_secret_load(config->state_dir, secret, &err);
    int token_rc = rc < 0 ? rc : tb_token_load(config->state_dir, token, &err);
    explicit_bzero(secret, sizeof(secret));
    explicit_bzero(token, sizeof(token));
    if (token_rc < 0) {
        refuse(finding, &err);
        return;
    }
    SAY(finding->seen, rc || token_rc ? "will be created at the next start" : "secret and token");
}

static void check_descriptors(const struct tb_config *config, struct tb_finding *finding)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return;
    }
    unsigned long long have = limit.rlim_max;
    SAY(finding->seen, "%llu", have);
    if (have < (unsigned long long)config->http_connections_max) {
        finding->health = TB_HEALTH_WARN;
        SAY(finding->seen, "%llu, fewer than http.connections_max (%lld)", have,
            (long long)config->http_connections_max);
        SAY(finding->mend, "raise the hard limit (ulimit -Hn), or lower http.connections_max");
    }
}

/* The settings that the other checks go by. */
static int load(const struct tb_config_sources *sources, struct tb_config *ret_config,
                struct tb_finding *finding, struct tb_err *err)
{
    struct tb_config_sources others = *sources;
    TB_AUTO(tb_free) char *path = tb_config_path(sources);
    SAY(finding->seen, "%.250s",
        path && access(path, F_OK) == 0 ? path : "no file, so the defaults");
    if (tb_config_load(sources, ret_config, err) == 0) {
        return 0;
    }
    struct tb_err why = *err;
    others.no_file = true;
    int rc = tb_config_load(&others, ret_config, err);
    if (rc == 0) {
        finding->health = TB_HEALTH_BAD;
        SAY(finding->seen, "%.250s", why.text);
        SAY(finding->mend, "do as it says; the checks below leave this file out");
    }
    return rc;
}

int tb_doctor_check(const struct tb_config_sources *sources,
                    struct tb_finding ret_findings[TB_DOCTOR_CHECKS], struct tb_err *err)
{
    static const struct {
        const char *name;
        void (*check)(const struct tb_config *config, struct tb_finding *finding);
    } rows[TB_DOCTOR_CHECKS - 1] = {
        {"browser", check_browser},
        {"sandbox", check_sandbox},
        {"state directory", check_state_dir},
        {"runtime directory", check_runtime_dir},
        {"ports", check_ports},
        {"store", check_store},
        {"keys", check_keys},
        {"descriptors", check_descriptors},
    };
    struct tb_config config;
    ret_findings[0] = (struct tb_finding){.name = "configuration"};
    int rc = load(sources, &config, &ret_findings[0], err);
    if (rc < 0) {
        return rc;
    }
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ret_findings[i + 1] = (struct tb_finding){.name = rows[i].name};
        rows[i].check(&config, &ret_findings[i + 1]);
    }
    tb_config_fini(&config);
    return 0;
}
