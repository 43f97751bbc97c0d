/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a state directory with sessions, by the code that the daemon stores them with:
 * fill STATE_DIR COUNT DRIVER. Prints what one session and one entry of the audit log took, in µs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/sessions.h"
#include "daemon/secret.h"
#include "driver/fake/fake.h"
#include "store/sqlite/sqlite.h"

enum {
    APPENDS = 100000,
};

static void check(bool good, const struct tb_err *err)
{
    if (!good) {
        fprintf(stderr, "fill: %s\n", err->text);
        exit(1);
    }
}

static void set(struct tb_config *config, const char *path, const char *text)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    struct tb_err err = {.text = "there is no such setting"};
    for (size_t i = 0; i < count; i++) {
        if (tb_str_eq_cstr(tb_str_of(keys[i].path), path)) {
            check(tb_config_set(config, &keys[i], tb_str_of(text), &err) == 0, &err);
            return;
        }
    }
    check(false, &err);
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* The store takes what it has room for; the rest waits for its worker. */
static void wait_for_room(struct tb_core *core)
{
    while (!tb_store_ready(&core->store, NULL)) {
        tb_loop_turn(core->loop, true);
    }
}

/* Made without a browser; `name` says whose the daemon shall take them for. */
static void make_sessions(struct tb_core *core, int64_t count, const char *driver_name)
{
    struct tb_driver driver = tb_driver_fake;
    static const struct tb_principal_spec operator= {.tenant = "default", .key = "", .label = ""};
    const struct tb_caller caller = {.who = tb_principal_new(&operator), .conversation = ""};
    void *fake = driver.start(core);
    driver.name = driver_name;
    for (int64_t i = 0; i < count; i++) {
        char name[TB_NAME_SIZE];
        snprintf(name, sizeof(name), "stored-%lld", (long long)i);
        const struct tb_session_spec spec = {
            .name = tb_str_of(name),
            .driver = &driver,
            .driver_state = fake,
            .deadline_ms = INT64_MAX,
        };
        struct tb_session *session;
        const char *warning;
        struct tb_err err;
        wait_for_room(core);
        check(tb_sessions_create(core->sessions, &caller, &spec, &session, &warning, &err) == 0,
              &err);
        tb_loop_turn(core->loop, false);
    }
    tb_sessions_free(core->sessions);
    driver.stop(fake);
    tb_principal_unref(caller.who, "filled");
}

static double append(struct tb_core *core)
{
    const struct tb_audit_entry entry = {
        .wall_ms = tb_clock_wall_ms(core->clock),
        .type = TB_STR("call_done"),
        .tenant = TB_STR("default"),
        .session = TB_STR("stored-1"),
        .agent = TB_STR("bench 1"),
        .tool = TB_STR("browser_evaluate"),
        .outcome = TB_STR("ok"),
        .details = TB_STR("{\"url\":\"http://127.0.0.1/list\",\"ms\":1,\"action\":7}"),
    };
    double spent_us = 0;
    for (int i = 0; i < APPENDS; i++) {
        wait_for_room(core);
        double began_us = now_us();
        tb_store_append(&core->store, &entry, NULL);
        spent_us += now_us() - began_us;
    }
    return spent_us / APPENDS;
}

int main(int argc, char **argv)
{
    struct tb_config config;
    struct tb_err err = {.text = "usage: fill STATE_DIR COUNT DRIVER"};
    struct tb_log log;
    tb_log_init(&log, TB_LOG_ERROR, 2, tb_clock_system());
    check(argc == 4, &err);
    tb_id_init();
    tb_config_init(&config);
    set(&config, "state_dir", argv[1]);
    set(&config, "sessions.total", "1000000");
    set(&config, "sessions.per_tenant", "100000");
    mkdir(argv[1], 0700);
    struct tb_core core = {.clock = tb_clock_system(), .log = &log, .config = &config};
    int rc = tb_secret_load(argv[1], core.secret, &err);
    check(rc >= 0 && (rc == 0 || tb_secret_save(argv[1], core.secret, true, &err) == 0), &err);
    core.loop = tb_loop_new(core.clock);
    tb_bus_init(&core.bus);
    core.store = (struct tb_store){&tb_store_sqlite, tb_store_sqlite.open(&core, &err)};
    check(core.store.state, &err);
    core.sessions = tb_sessions_new(&core);
    double began_us = now_us();
    int64_t count = strtoll(argv[2], NULL, 10);
    make_sessions(&core, count, argv[3]);
    double session_us = (now_us() - began_us) / (double)(count ? count : 1);
    double append_us = append(&core);
    tb_store_sqlite.close(core.store.state);
    printf("session_us=%.2f append_us=%.2f\n", session_us, append_us);
    tb_loop_free(core.loop);
    tb_config_fini(&config);
    return 0;
}
