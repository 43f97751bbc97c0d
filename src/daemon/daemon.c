/* SPDX-License-Identifier: Apache-2.0 */
/* Life of the daemon:
 *
 *   start -> open -> ready -> (SIGTERM, SIGINT) draining -> stopped
 *                     |  ^                        |
 *                     +--+ SIGHUP: reload         +-- 10 s or second signal: calls are cut short,
 *                                                     5 s more: stopped at once
 *
 * A SIGHUP during the start is held until somebody handles it: by default it ends the process.
 * Signals are handled to the very end, so that none can end the process while it saves.
 *
 * Open and not yet ready is only the first start in a state directory, until its new keys are
 * synced to the disk. That can take long, and the agent on the Unix socket need not wait for it. */
#include "daemon/daemon.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/sink.h"
#include "core/approvals.h"
#include "core/audit.h"
#include "core/core.h"
#include "core/driver.h"
#include "core/egress.h"
#include "core/keys.h"
#include "core/limits.h"
#include "core/policies.h"
#include "core/secrets.h"
#include "core/sessions.h"
#include "daemon/caretaker.h"
#include "daemon/dirs.h"
#include "daemon/doors.h"
#include "daemon/harden.h"
#include "daemon/lock.h"
#include "daemon/measure.h"
#include "daemon/next_step.h"
#include "daemon/registry.h"
#include "daemon/secret.h"
#include "daemon/token.h"
#include "front/guard.h"
#include "front/router.h"
#include "io/timer.h"
#include "io/work.h"
#include "tool/tools.h"

static const int watched[] = {SIGTERM, SIGINT, SIGHUP};

enum {
    SIGNAL_COUNT = TB_COUNT(watched),
    RULES_MS = 2000, /* for keys, policies and secrets to be read before anybody is let in */
    STEP_MAX = 256 * TB_KIB, /* the line for an agent: options may be long */
};

struct daemon {
    const struct tb_config_sources *sources;
    struct tb_config config;
    struct tb_log log;
    struct tb_core core;
    struct tb_audit *audit;
    struct tb_router *router;
    struct tb_doors *doors;
    struct tb_caretaker *caretaker;
    struct tb_signal *signals[SIGNAL_COUNT];
    struct tb_timer drain_timer;
    bool draining;
    bool hurried; /* nobody waits for calls and requests any more */
    bool requests_ended;
    bool sessions_ended;
    struct tb_lock lock;
    char token[TB_TOKEN_SIZE]; /* until it is saved */
    bool new_secret;
    bool new_token;
    bool saving;
    int save_rc;
    struct tb_err save_err; /* the worker's until it is done */
};

static void check_drained(struct daemon *daemon)
{
    if (daemon->sessions_ended && (daemon->requests_ended || daemon->hurried)) {
        tb_loop_stop(daemon->core.loop);
    }
}

/* All are saved, and the last browser is gone. */
static void on_sessions_ended(void *user)
{
    struct daemon *daemon = user;
    daemon->sessions_ended = true;
    check_drained(daemon);
}

static void on_requests_ended(void *user)
{
    struct daemon *daemon = user;
    daemon->requests_ended = true;
    check_drained(daemon);
}

static void hurry(struct daemon *daemon)
{
    if (daemon->hurried) {
        return;
    }
    daemon->hurried = true;
    tb_timer_start(&daemon->drain_timer, TB_DRAIN_SAVE_MS);
    tb_sessions_hurry(daemon->core.sessions);
    check_drained(daemon);
}

static void on_drain_late(struct tb_timer *timer, void *user)
{
    struct daemon *daemon = user;
    (void)timer;
    if (daemon->hurried) {
        tb_log_at(&daemon->log, WARN, "daemon", "sessions were not saved in time");
        tb_loop_stop(daemon->core.loop);
        return;
    }
    bool waits = !daemon->requests_ended || tb_sessions_busy(daemon->core.sessions);
    tb_log_at(&daemon->log, WARN, "daemon",
              waits ? "calls or requests did not end in time" : "sessions are not saved yet");
    hurry(daemon);
}

static void on_stop_signal(int signum, void *user)
{
    struct daemon *daemon = user;
    if (daemon->draining) {
        tb_log_at(&daemon->log, WARN, "daemon", "stopping without waiting for calls",
                  tb_kv_int("signal", signum));
        hurry(daemon);
        return;
    }
    daemon->draining = true;
    tb_log_at(&daemon->log, INFO, "daemon", "stopping", tb_kv_int("signal", signum));
    tb_timer_start(&daemon->drain_timer, TB_DRAIN_CALLS_MS);
    tb_sessions_drain(daemon->core.sessions, on_sessions_ended, daemon);
    tb_router_drain(daemon->router);
    tb_doors_drain(daemon->doors, on_requests_ended, daemon);
}

/* Takes over what can change while running, and says what waits for a restart. */
static void take_over(struct daemon *daemon, struct tb_config *fresh)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (!tb_config_differs(&daemon->config, fresh, &keys[i])) {
            continue;
        }
        bool now = keys[i].when == TB_CONFIG_RELOAD;
        tb_log_at(&daemon->log, INFO, "daemon",
                  now ? "setting changed" : "setting takes effect after a restart",
                  tb_kv_cstr("key", keys[i].path));
        if (now) {
            tb_config_swap(&daemon->config, fresh, &keys[i]);
        }
    }
}

/* What only those who use the settings can judge. */
static int check_settings(const struct tb_config *config, struct tb_err *err)
{
    const struct tb_driver *const *drivers = tb_registry_drivers();
    int rc = tb_guard_check_config(config, err);
    rc = rc < 0 ? rc : tb_policies_check(config, err);
    for (size_t i = 0; rc == 0 && drivers[i]; i++) {
        rc = drivers[i]->check ? drivers[i]->check(config, err) : 0;
    }
    return rc;
}

static void on_reload_signal(int signum, void *user)
{
    struct daemon *daemon = user;
    struct tb_config fresh;
    struct tb_err err;
    (void)signum;
    if (daemon->draining) {
        tb_log_at(&daemon->log, WARN, "daemon", "not reloaded: the daemon is stopping");
        return;
    }
    int rc = tb_config_load(daemon->sources, &fresh, &err);
    if (rc == 0) {
        rc = check_settings(&fresh, &err);
        if (rc == 0) {
            rc = tb_doors_reload(daemon->doors, &fresh, &err);
        }
        if (rc == 0) {
            take_over(daemon, &fresh);
            tb_policies_reload(daemon->core.policies);
        }
        tb_config_fini(&fresh);
    }
    if (rc < 0) {
        tb_log_at(&daemon->log, ERROR, "daemon", "not reloaded; the old settings stay in force",
                  tb_kv_cstr("reason", err.text));
        return;
    }
    tb_log_level_parse(tb_str_of(daemon->config.log_level), &daemon->log.level);
    tb_log_at(&daemon->log, INFO, "daemon", "reloaded");
}

/* Ten thousand connections need as many descriptors; the soft limit is often 1,024. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool drivers_gain_rights(const struct tb_config *config)
{
    const struct tb_driver *const *drivers = tb_registry_drivers();
    bool gain = false;
    for (size_t i = 0; drivers[i] && !gain; i++) {
        gain = drivers[i]->gains_rights && drivers[i]->gains_rights(config);
    }
    return gain;
}

static void tell_unlocked(struct daemon *daemon, int code)
{
    tb_log_at(&daemon->log, WARN, "daemon",
              "secrets can be swapped out: raise the limit of locked memory (RLIMIT_MEMLOCK)",
              tb_kv_cstr("reason", strerror(-code)));
}

static void on_unlocked(struct tb_vault *vault)
{
    tell_unlocked(TB_CONTAINER(vault, struct daemon, core.vault), vault->failure);
}

/* What a system does not let us give up is told, and no reason not to serve. */
static void harden(struct daemon *daemon)
{
    struct tb_err err;
    int rc = tb_mem_lock(daemon->core.secret, sizeof(daemon->core.secret));
    int also = tb_mem_lock(daemon->token, sizeof(daemon->token));
    rc = rc < 0 ? rc : also;
    if (rc < 0) {
        tell_unlocked(daemon, rc);
    }
    if (tb_harden(drivers_gain_rights(&daemon->config), &err) < 0) {
        tb_log_at(&daemon->log, WARN, "daemon", "hardening is incomplete",
                  tb_kv_cstr("reason", err.text));
    }
}

static void warn_unknown(struct tb_str name, const char *meant, void *user)
{
    struct daemon *daemon = user;
    tb_log_at(&daemon->log, WARN, "daemon", "ignored a variable or key that is no setting here",
              tb_kv("name", name),
              meant[0] ? tb_kv_cstr("meant", meant) : (struct tb_log_field){0});
}

static int init_state(struct daemon *daemon, struct tb_err *err)
{
    int rc = tb_dirs_make(&daemon->config, err);
    if (rc < 0) {
        return rc;
    }
    rc = tb_lock_take(daemon->config.state_dir, &daemon->lock, err);
    if (rc < 0) {
        return rc;
    }
    rc = tb_secret_load(daemon->config.state_dir, daemon->core.secret, err);
    if (rc < 0) {
        return rc;
    }
    daemon->new_secret = rc == 1;
    /* What is stored from now on needs it after kill -9. */
    rc = rc ? tb_secret_save(daemon->config.state_dir, daemon->core.secret, false, err) : 0;
    if (rc < 0) {
        return rc;
    }
    rc = tb_token_load(daemon->config.state_dir, daemon->token, err);
    if (rc < 0) {
        return rc;
    }
    daemon->new_token = rc == 1;
    tb_auth_set_admin(daemon->core.auth, tb_str_of(daemon->token));
    return 0;
}

static void measure(struct tb_core *core, void *user)
{
    const struct daemon *daemon = user;
    tb_measure(core);
    core->metrics.values[TB_METRIC_HTTP_CONNECTIONS] = (int64_t)tb_doors_connections(daemon->doors);
}

static void init_core(struct daemon *daemon)
{
    daemon->core = (struct tb_core){
        .clock = tb_clock_system(),
        .log = &daemon->log,
        .config = &daemon->config,
        .measure = measure,
        .measure_user = daemon,
        .vault = {.unlocked = on_unlocked},
    };
    daemon->core.loop = tb_loop_new(daemon->core.clock);
    daemon->core.auth = tb_auth_new(daemon->core.loop);
    daemon->core.metrics.values[TB_METRIC_START_TIME] = tb_clock_wall_ms(daemon->core.clock) / 1000;
    tb_bus_init(&daemon->core.bus);
    tb_views_init(&daemon->core.views, &tb_kit);
    daemon->core.egresses = tb_egresses_new(&daemon->core);
    daemon->core.policies = tb_policies_new(&daemon->core);
    daemon->core.approvals = tb_approvals_new(&daemon->core);
    daemon->core.keys = tb_keys_new(&daemon->core);
    daemon->core.sessions = tb_sessions_new(&daemon->core);
    daemon->core.secrets = tb_secrets_new(&daemon->core);
    daemon->router = tb_router_new(&daemon->core, tb_registry_fronts());
    tb_timer_init(&daemon->drain_timer, daemon->core.loop, on_drain_late, daemon);
}

static int open_store(struct daemon *daemon, struct tb_err *err)
{
    const struct tb_store_kind *const *kinds = tb_registry_stores();
    for (size_t i = 0; kinds[i]; i++) {
        if (tb_str_eq_cstr(tb_str_of(kinds[i]->name), daemon->config.store_kind)) {
            void *state = kinds[i]->open(&daemon->core, err);
            if (state) {
                daemon->core.store = (struct tb_store){kinds[i], state};
            }
            return state ? 0 : err->code;
        }
    }
    return tb_fail(err, TB_E_INTERNAL, "there is no store '%s'", daemon->config.store_kind);
}

static void close_store(struct tb_store *store)
{
    if (store->kind) {
        store->kind->close(store->state);
        *store = (struct tb_store){0};
    }
}

/* Who may come in, what they may do, and the secrets that they may use. A new installation has none
 * of it stored, and its first answer need not wait until there is a database. */
static void read_rules(struct daemon *daemon)
{
    if (!daemon->new_secret) {
        tb_keys_load(daemon->core.keys);
        tb_policies_load(daemon->core.policies);
        tb_secrets_load(daemon->core.secrets);
    }
}

static void on_rules_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    *(bool *)user = true;
}

/* Nobody is refused for a key or a secret that is not read yet; where the store has trouble or
 * takes too long, whoever asks for one is told so until it is over. */
static void await_rules(struct tb_core *core)
{
    struct tb_timer timer;
    bool late = false;
    tb_timer_init(&timer, core->loop, on_rules_late, &late);
    tb_timer_start(&timer, RULES_MS);
    while (!late && !(tb_keys_loaded(core->keys) && tb_policies_loaded(core->policies) &&
                      tb_secrets_loaded(core->secrets))) {
        tb_loop_turn(core->loop, true);
    }
    tb_timer_fini(&timer);
}

static void start_drivers(struct tb_core *core)
{
    const struct tb_driver *const *drivers = tb_registry_drivers();
    for (size_t i = 0; drivers[i] && i < TB_DRIVERS_MAX - 1; i++) {
        core->drivers[i] = (struct tb_driver_slot){drivers[i], drivers[i]->start(core)};
    }
}

static void stop_drivers(struct tb_core *core)
{
    for (size_t i = 0; core->drivers[i].driver; i++) {
        core->drivers[i].driver->stop(core->drivers[i].state);
    }
}

/* Who reloads right after a start must not end it, and the settings that they mean may be newer
 * than those that were read. */
static void hold_reload(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigprocmask(how, &set, NULL);
}

/* PROC-1: nobody is to find out later that pages ran without it. */
static void tell_sandbox(struct daemon *daemon)
{
    const struct tb_event event = {.type = TB_EVENT_SANDBOX_OFF,
                                   .tenant = TB_TENANT_DEFAULT,
                                   .session_id = "",
                                   .hidden = true};
    if (daemon->config.browser_no_sandbox) {
        tb_log_at(&daemon->log, WARN, "daemon", "browsers start without their sandbox",
                  tb_kv_cstr("setting", "browser.no_sandbox"));
        tb_bus_publish(&daemon->core.bus, &event);
    }
}

static int start(struct daemon *daemon, struct tb_err *err)
{
    int rc = tb_config_load(daemon->sources, &daemon->config, err);
    if (rc < 0) {
        return rc;
    }
    tb_log_level_parse(tb_str_of(daemon->config.log_level), &daemon->log.level);
    rc = check_settings(&daemon->config, err);
    if (rc < 0) {
        return rc;
    }
    tb_config_each_unknown(daemon->sources, warn_unknown, daemon);
    raise_descriptor_limit();
    harden(daemon);
    init_core(daemon);
    rc = init_state(daemon, err);
    if (rc < 0) {
        return rc;
    }
    rc = open_store(daemon, err);
    if (rc < 0) {
        return rc;
    }
    daemon->audit = tb_audit_new(&daemon->core);
    read_rules(daemon);
    start_drivers(&daemon->core);
    tb_sessions_load(daemon->core.sessions, NULL, NULL);
    rc = tb_router_start(daemon->router, err);
    if (rc < 0) {
        return rc;
    }
    tell_sandbox(daemon);
    await_rules(&daemon->core);
    daemon->doors = tb_doors_new(&daemon->core, daemon->router, tb_doors_rows(), err);
    if (!daemon->doors) {
        return err->code;
    }
    tb_doors_tell_egresses(daemon->doors);
    daemon->caretaker = tb_caretaker_new(&daemon->core, daemon->doors);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        daemon->signals[i] =
            tb_signal_new(daemon->core.loop, watched[i],
                          watched[i] == SIGHUP ? on_reload_signal : on_stop_signal, daemon);
    }
    hold_reload(SIG_UNBLOCK);
    tb_lock_describe(&daemon->lock, tb_str_of(tb_doors_address(daemon->doors)));
    return 0;
}

static void stop(struct daemon *daemon)
{
    daemon->draining = true; /* also when nobody asked for it */
    daemon->hurried = true;  /* there is nobody left to hurry: a signal from now on is only told */
    tb_caretaker_free(daemon->caretaker);
    tb_doors_free(daemon->doors);
    daemon->doors = NULL;
    tb_timer_fini(&daemon->drain_timer);
    /* Calls end while the fronts that began them still stand; the fronts go before the table that
     * they look into. */
    tb_sessions_stop(daemon->core.sessions);
    tb_router_free(daemon->router);
    tb_sessions_free(daemon->core.sessions);
    daemon->core.sessions = NULL; /* the store asks whether they are there */
    tb_keys_free(daemon->core.keys);
    daemon->core.keys = NULL; /* the same */
    tb_approvals_free(daemon->core.approvals);
    daemon->core.approvals = NULL;
    tb_policies_free(daemon->core.policies);
    daemon->core.policies = NULL;
    tb_secrets_free(daemon->core.secrets);
    daemon->core.secrets = NULL;
    tb_audit_free(daemon->audit);
    stop_drivers(&daemon->core);
    tb_egresses_free(daemon->core.egresses);
    daemon->core.egresses = NULL;
    close_store(&daemon->core.store);
    tb_auth_free(daemon->core.auth);
    tb_rates_fini(&daemon->core.rates);
    tb_metrics_fini(&daemon->core.metrics);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        tb_signal_free(daemon->signals[i]);
        signal(watched[i], SIG_IGN); /* all is saved: nothing is left to do but to end */
    }
    tb_loop_free(daemon->core.loop);
    tb_config_fini(&daemon->config);
    tb_lock_release(&daemon->lock);
}

static void announce(struct daemon *daemon)
{
    const char *address = tb_doors_address(daemon->doors);
    TB_AUTO(tb_free) char *file = tb_config_path(daemon->sources);
    bool read = file && access(file, F_OK) == 0;
    tb_log_at(&daemon->log, INFO, "daemon", "ready", tb_kv_cstr("address", address),
              tb_kv_cstr("state", daemon->config.state_dir),
              tb_kv_cstr("config", read ? file : "none"), tb_kv_cstr("version", TABARD_VERSION));
    /* Whoever reads it, or does not, must not hold up the loop. */
    TB_AUTO(tb_buf_fini) struct tb_buf step = TB_BUF(STEP_MAX);
    tb_next_step_put(daemon->sources, &step);
    tb_sink_tell(STDOUT_FILENO, "tabard ready %s\n%.*s", address, TB_STR_ARG(tb_buf_str(&step)));
}

/* On a worker. */
static int save_keys(void *user)
{
    struct daemon *daemon = user;
    const char *dir = daemon->config.state_dir;
    int rc = 0;
    if (daemon->new_secret) {
        rc = tb_secret_save(dir, daemon->core.secret, true, &daemon->save_err);
    }
    if (rc == 0 && daemon->new_token) {
        rc = tb_token_save(dir, daemon->token, &daemon->save_err);
    }
    return rc;
}

static void on_saved(int status, void *user)
{
    struct daemon *daemon = user;
    daemon->saving = false;
    daemon->save_rc = status;
    explicit_bzero(daemon->token, sizeof(daemon->token));
    if (status < 0) {
        tb_loop_stop(daemon->core.loop);
    } else if (!daemon->draining) {
        announce(daemon);
    }
}

static int serve(struct daemon *daemon, struct tb_err *err)
{
    daemon->saving = daemon->new_secret || daemon->new_token;
    if (daemon->saving) {
        tb_work_submit(daemon->core.loop, save_keys, on_saved, daemon);
    } else {
        on_saved(0, daemon);
    }
    tb_loop_run(daemon->core.loop);
    while (daemon->saving) {
        tb_loop_turn(daemon->core.loop, true);
    }
    if (daemon->save_rc < 0) {
        *err = daemon->save_err;
    }
    return daemon->save_rc;
}

int tb_daemon_run(const struct tb_config_sources *sources, int open_fd, struct tb_err *err)
{
    struct daemon daemon = {.sources = sources, .lock = TB_LOCK_NONE};
    hold_reload(SIG_BLOCK);
    tb_log_init(&daemon.log, TB_LOG_INFO, STDERR_FILENO, tb_clock_system());
    signal(SIGPIPE, SIG_IGN);
    /* Sent by habit to make a daemon open its log anew; by default they end it, unsaved. */
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    int rc = start(&daemon, err);
    if (rc == 0) {
        if (open_fd >= 0) {
            /* Who waited may be gone. */
            ssize_t ignored = write(open_fd, "\n", 1);
            (void)ignored;
        }
        rc = serve(&daemon, err);
        tb_log_at(&daemon.log, INFO, "daemon", "stopped");
    }
    stop(&daemon);
    tb_mem_unlock(daemon.core.secret, sizeof(daemon.core.secret));
    tb_mem_unlock(daemon.token, sizeof(daemon.token));
    tb_log_fini(&daemon.log);
    return rc;
}
