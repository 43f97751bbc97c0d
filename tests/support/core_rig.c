/* SPDX-License-Identifier: Apache-2.0 */
#include "support/core_rig.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/egress.h"
#include "tool/tools.h"

#include "support/principals.h"

static const struct tb_param params[] = {
    {.name = "tag", .type = TB_PARAM_TEXT, .help = ""},
    {.name = NULL},
};

const struct tb_tool rig_navigate = {.name = "navigate",
                                     .flags = TB_TOOL_MAY_CREATE,
                                     .params = params,
                                     .op = TB_OP_NAVIGATE};
const struct tb_tool rig_click = {.name = "click", .params = params, .op = TB_OP_CLICK};
const struct tb_tool rig_wait = {.name = "wait", .params = params, .op = TB_OP_WAIT};

static void on_event(const struct tb_event *event, void *user)
{
    struct rig *rig = user;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_event_json(event));
    for (size_t i = 0; i < TB_EVENT_FIELDS; i++) { /* or core/events.def does not name it */
        assert_true(event->fields[i].kind == TB_FIELD_NONE ||
                    tb_json_get(json, event->fields[i].name));
    }
    assert_int_equal(tb_buf_printf(&rig->events, "%s %.*s\n", tb_event_name(event->type),
                                   TB_STR_ARG(tb_event_json(event))),
                     0);
}

int rig_setup(void **state)
{
    struct rig *rig = TB_NEW(struct rig);
    tb_id_init();
    tb_clock_manual_init(&rig->clock);
    tb_config_init(&rig->config);
    tb_buf_init(&rig->events, SIZE_MAX);
    tb_log_init(&rig->log, TB_LOG_ERROR, 2, &rig->clock.clock);
    rig->core.clock = &rig->clock.clock;
    rig->core.loop = tb_loop_new(rig->core.clock);
    rig->core.log = &rig->log;
    rig->core.config = &rig->config;
    tb_bus_init(&rig->core.bus);
    tb_views_init(&rig->core.views, &tb_kit);
    rig->fake = tb_driver_fake.start(&rig->core);
    rig->core.drivers[0] = (struct tb_driver_slot){&tb_driver_fake, rig->fake};
    rig->core.egresses = tb_egresses_new(&rig->core);
    tb_egresses_set_proxy(rig->core.egresses, "127.0.0.1:1"); /* nobody goes there */
    rig->core.sessions = tb_sessions_new(&rig->core);
    rig->listener = (struct tb_subscriber){.fn = on_event, .user = rig};
    tb_bus_subscribe(&rig->core.bus, &rig->listener);
    *state = rig;
    return 0;
}

void rig_stop(struct rig *rig)
{
    tb_sessions_free(rig->core.sessions);
    rig->core.sessions = NULL;
    if (rig->fake) {
        tb_driver_fake.stop(rig->fake);
        rig->fake = NULL;
    }
    tb_egresses_free(rig->core.egresses);
    rig->core.egresses = NULL;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    rig_stop(rig);
    tb_bus_unsubscribe(&rig->listener);
    tb_metrics_fini(&rig->core.metrics);
    tb_loop_free(rig->core.loop);
    tb_config_fini(&rig->config);
    tb_log_fini(&rig->log);
    tb_buf_fini(&rig->events);
    tb_free(rig);
    return 0;
}

void rig_turns(struct rig *rig, int count)
{
    for (int i = 0; i < count; i++) {
        tb_loop_turn(rig->core.loop, false);
    }
}

void rig_turn(struct rig *rig)
{
    /* A chain of jobs, each left by the one before, takes a turn a link; none here is this long. */
    rig_turns(rig, 100);
}

void rig_advance(struct rig *rig, int64_t ms)
{
    tb_clock_manual_advance(&rig->clock, ms);
    rig_turn(rig);
}

static void on_done(struct tb_call *call, void *user)
{
    struct rig_call *mine = user;
    const struct tb_result *result = tb_call_result(call);
    const char *chosen = tb_call_answer(call, SIZE_MAX)->session;
    assert_non_null(mine->rig);
    mine->dones++;
    mine->place = ++mine->rig->finished;
    mine->code = result->code;
    snprintf(mine->message, sizeof(mine->message), "%s", result->message);
    snprintf(mine->chosen, sizeof(mine->chosen), "%s", chosen ? chosen : "");
    mine->data = tb_json_dup(result->data);
    mine->call = NULL;
    if (mine->on_done) {
        mine->on_done(mine);
    }
}

static void on_progress(struct tb_call *call, double done, double total, const char *message,
                        void *user)
{
    struct rig_call *mine = user;
    (void)call;
    assert_true(done <= total);
    snprintf(mine->working, sizeof(mine->working), "%s", message);
    mine->progress++;
}

struct rig_call *rig_start_as(struct rig *rig, const struct tb_tool *tool, const char *tenant,
                              const char *conversation, const char *args)
{
    struct rig_call *mine = TB_NEW(struct rig_call);
    mine->rig = rig;
    mine->code = 1;
    const struct tb_call_request request = {
        .entry = {.tool = tool},
        .args.json = args ? tb_str_of(args) : TB_STR(""),
        .caller = {.who = principal_of(tenant),
                   .conversation = conversation,
                   .agent = rig->agent,
                   .brief = rig->brief},
        .done = on_done,
        .progress = on_progress,
        .ask = rig->ask,
        .user = mine,
    };
    mine->call = tb_call_start(&rig->core, &request);
    assert_non_null(mine->call);
    assert_int_equal(mine->dones, 0); /* always later */
    return mine;
}

struct rig_call *rig_start(struct rig *rig, const struct tb_tool *tool, const char *conversation,
                           const char *args)
{
    return rig_start_as(rig, tool, "t", conversation, args);
}

void rig_forget(struct rig_call *call)
{
    tb_json_free(call->data);
    tb_free(call);
}

void rig_expect(struct rig_call *call, int code)
{
    if (call->dones != 1 || call->code != code) {
        fail_msg("ended %zu times with %s (%s), not %s", call->dones,
                 call->code > 0 ? "nothing" : tb_err_name(call->code), call->message,
                 tb_err_name(code));
    }
    rig_forget(call);
}

int rig_run(struct rig *rig, const struct tb_tool *tool, const char *conversation, const char *args)
{
    struct rig_call *call = rig_start(rig, tool, conversation, args);
    rig_turn(rig);
    int code = call->code;
    rig_expect(call, code);
    return code;
}

struct tb_session *rig_create_as(struct rig *rig, const char *tenant, const char *conversation,
                                 const char *name)
{
    const struct tb_caller caller = {.who = principal_of(tenant), .conversation = conversation};
    const struct tb_session_spec spec = {
        .kind = TB_KIND_BROWSER,
        .name = tb_str_of(name),
        .driver = &tb_driver_fake,
        .driver_state = rig->fake,
        .deadline_ms = tb_loop_now_ms(rig->core.loop) + 30000,
    };
    struct tb_session *session = NULL;
    const char *warning = "";
    struct tb_err err = {0};
    if (tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return session;
}

struct tb_session *rig_create(struct rig *rig, const char *name)
{
    return rig_create_as(rig, "t", "", name);
}

struct tb_session *rig_find(struct rig *rig, const char *name)
{
    return tb_sessions_find(rig->core.sessions, "t", tb_str_of(name));
}

void rig_leave_tag(struct rig *rig, const char *tag)
{
    char args[80];
    snprintf(args, sizeof(args), "{\"sessionId\":\"a\",\"tag\":\"%s\"}", tag);
    assert_int_equal(rig_run(rig, &rig_click, "", args), 0);
}

struct tb_session *rig_create_tagged(struct rig *rig)
{
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    rig_leave_tag(rig, "login");
    return session;
}

char *rig_note(struct rig *rig)
{
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    struct tb_str note = tb_json_text(call->data, "note");
    char *text = tb_str_dup(note);
    rig_expect(call, 0);
    return text;
}

size_t rig_events(struct rig *rig, const char *text)
{
    size_t count = 0;
    assert_int_equal(tb_buf_append_char(&rig->events, '\0'), 0);
    rig->events.len--;
    for (const char *at = (const char *)rig->events.data; (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

void rig_set(struct rig *rig, const char *path, const char *text)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            assert_int_equal(tb_config_set(&rig->config, &keys[i], tb_str_of(text), NULL), 0);
            return;
        }
    }
    fail_msg("no setting %s", path);
}

int64_t rig_calls_counted(const struct rig *rig, const char *words)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    int64_t count = 0;
    assert_int_equal(tb_metrics_print(&rig->core.metrics, &text), 0);
    struct tb_str rest = tb_buf_str(&text);
    while (rest.len) {
        struct tb_str value = tb_str_cut(&rest, '\n');
        struct tb_str name = tb_str_cut(&value, ' ');
        uint64_t number;
        if (tb_str_starts(name, TB_STR("tabard_calls_total")) &&
            memmem(name.ptr, name.len, words, strlen(words)) && tb_str_to_u64(value, &number)) {
            count += (int64_t)number;
        }
    }
    return count;
}
