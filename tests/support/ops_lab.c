/* SPDX-License-Identifier: Apache-2.0 */
#include "support/ops_lab.h"

#include <stdlib.h>
#include <unistd.h>

#include <dirent.h>

#include "base/id.h"
#include "driver/cdp/browser/find.h"
#include "driver/cdp/op/work.h"
#include "driver/profile.h"

#include "support/guarded.h"

void ops_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    *(bool *)user = true;
}

static void on_head(struct tb_http_req *req, void *user)
{
    (void)req;
    (void)user;
}

/* The body with the port put in, so that documents can name the other site. */
static void put_body(const struct ops_lab *lab, const char *body, struct tb_buf *out)
{
    const char *mark;
    while ((mark = strstr(body, "{port}"))) {
        tb_buf_append(out, body, (size_t)(mark - body));
        tb_buf_printf(out, "%d", lab->port);
        body = mark + strlen("{port}");
    }
    tb_buf_append_cstr(out, body);
}

static void on_request(struct tb_http_req *req, void *user)
{
    struct ops_lab *lab = user;
    struct tb_str target = tb_http_req_head(req)->target;
    struct tb_str path = tb_str_cut(&target, '?');
    tb_buf_printf(&lab->visits, "%.*s\n", TB_STR_ARG(path));
    if (tb_str_eq_cstr(path, "/held")) {
        return; /* never answered */
    }
    for (const struct ops_doc *doc = lab->docs; doc->path; doc++) {
        if (!tb_str_eq_cstr(path, doc->path)) {
            continue;
        }
        TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(4 << 20);
        struct tb_http_header headers[2] = {
            {"Content-Type", tb_str_of(doc->type ? doc->type : "text/html; charset=utf-8")},
            {doc->header, tb_str_of(doc->value)},
        };
        put_body(lab, doc->body ? doc->body : "", &body);
        tb_http_reply(req, doc->status ? doc->status : 200, headers, doc->header ? 2 : 1,
                      tb_buf_str(&body));
        return;
    }
    struct tb_http_header html = {"Content-Type", TB_STR("text/html")};
    tb_http_reply(req, 404, &html, 1, TB_STR("<title>Not here</title>nothing"));
}

static void on_gone(struct tb_http_req *req, bool complete, void *user)
{
    (void)req;
    (void)complete;
    (void)user;
}

static void on_accept(struct tb_stream *stream, void *user)
{
    tb_http_server_add_take(((struct ops_lab *)user)->server, stream);
}

int ops_lab_start(void **state, const struct ops_doc *docs)
{
    static const struct tb_http_server_ops ops = {on_head, on_request, on_gone};
    static const struct tb_http_server_limits limits = {
        .parser = {.line_max = 8192, .head_max = 32768, .header_count = 64, .body_max = 65536},
        .connections_max = 200,
        .send_max = 8 << 20,
    };
    struct ops_lab *lab = TB_NEW(struct ops_lab);
    *state = lab;
    if (!tb_cdp_browser_find("", true)) {
        print_message("no Chromium is installed: install chromium-headless-shell to run this\n");
        return 0;
    }
    assert_int_equal(tb_id_init(), 0);
    lab->docs = docs;
    tb_buf_init(&lab->visits, 1 << 20);
    lab->loop = tb_loop_new(tb_clock_system());
    lab->server = tb_http_server_new(lab->loop, &limits, &ops, lab);
    lab->listener = tb_listener_new_tcp(lab->loop, "127.0.0.1", 0, NULL, on_accept, lab, NULL);
    assert_non_null(lab->listener);
    lab->port = tb_listener_port(lab->listener);
    tb_config_init(&lab->config);
    /* Its directory lies beside those of programs that run at the same time. */
    snprintf(lab->session_id, sizeof(lab->session_id), "test-%d", (int)getpid());
    snprintf(lab->state_dir, sizeof(lab->state_dir), "/tmp/tabard-ops-XXXXXX");
    assert_non_null(mkdtemp(lab->state_dir));
    tb_free(lab->config.state_dir);
    lab->config.state_dir = tb_strdup(lab->state_dir);
    lab->core.loop = lab->loop;
    lab->core.clock = tb_clock_system();
    lab->core.config = &lab->config;
    guarded_or_exit();
    lab->fleet = tb_cdp_fleet_new(&lab->core, "/proc/self/exe");
    return 0;
}

void ops_set(struct ops_lab *lab, const char *path, const char *value)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            assert_int_equal(tb_config_set(&lab->config, &keys[i], tb_str_of(value), NULL), 0);
        }
    }
}

int ops_lab_stop(void **state)
{
    struct ops_lab *lab = *state;
    if (lab->loop) {
        tb_cdp_fleet_free(lab->fleet);
        tb_listener_free(lab->listener);
        tb_http_server_free(lab->server);
        tb_loop_free(lab->loop);
        tb_config_fini(&lab->config);
        tb_buf_fini(&lab->visits);
        tb_profile_remove(lab->state_dir);
    }
    tb_free(lab);
    return 0;
}

static void on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail)
{
    (void)owner;
    (void)loss;
    print_message("lost: %s %s\n", tb_end_reason_name(reason), detail);
}

static void on_event(void *owner, const struct tb_event *event)
{
    (void)owner;
    (void)event;
}

static void on_open(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct ops_lab *lab = owner;
    lab->session = session;
    lab->opened = true;
    if (err) {
        print_message("%s\n", err->text);
    }
}

int ops_open(void **state)
{
    static const struct tb_driver_events events = {.on_lost = on_lost, .on_event = on_event};
    struct ops_lab *lab = *state;
    if (!lab->loop) {
        return 0;
    }
    struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = lab->session_id,
        .saved = lab->saved,
        .args = lab->start,
        .deadline_ms = tb_loop_now_ms(lab->loop) + OPS_MS,
        .events = &events,
        .owner = lab,
    };
    lab->opened = false;
    lab->closed = false;
    lab->element_ms = 0;
    tb_result_init(&lab->result);
    tb_driver_cdp.open(lab->fleet, &opts, on_open);
    OPS_WAIT(lab, lab->opened);
    assert_non_null(lab->session);
    return 0;
}

static void on_closed(void *owner)
{
    ((struct ops_lab *)owner)->closed = true;
}

void ops_close_during(struct ops_lab *lab)
{
    tb_cdp_session_close(lab->session, on_closed, lab);
    OPS_WAIT(lab, lab->closed);
}

int ops_close(void **state)
{
    struct ops_lab *lab = *state;
    if (!lab->loop) {
        return 0;
    }
    if (!lab->closed) {
        ops_close_during(lab);
    }
    tb_driver_cdp.forget(lab->fleet, lab->session_id);
    tb_result_fini(&lab->result);
    tb_json_free(lab->args);
    lab->args = NULL;
    return 0;
}

static void on_done(struct tb_op *op)
{
    ((struct ops_lab *)op->user)->dones++;
}

void ops_begin(struct ops_lab *lab, enum tb_op_kind kind, int64_t ms, const char *args)
{
    char *text = tb_strdup(args);
    for (char *c = strchr(text, '\''); c; c = strchr(c, '\'')) {
        *c = '"';
    }
    tb_json_free(lab->args);
    lab->args = tb_json_parse(tb_str_of(text));
    if (!lab->args) {
        fail_msg("not JSON: %s", text);
    }
    tb_free(text);
    tb_result_fini(&lab->result);
    tb_result_init(&lab->result);
    lab->dones = 0;
    lab->op = (struct tb_op){
        .kind = kind,
        .args = lab->args,
        .deadline_ms = tb_loop_now_ms(lab->loop) + ms,
        .element_ms = lab->element_ms,
        .reveal = lab->reveal,
        .dismisses = lab->dismisses,
        .result = &lab->result,
        .done = on_done,
        .user = lab,
    };
    tb_driver_cdp.ops[kind](lab->session, &lab->op);
}

struct tb_cdp_work *ops_work(const struct ops_lab *lab)
{
    struct tb_cdp_running *running = lab->session->use.running;
    return running ? TB_CONTAINER(running, struct tb_cdp_work, running) : NULL;
}

static bool has_ended(const struct ops_lab *lab)
{
    const struct tb_cdp_work *work = ops_work(lab);
    if (!lab->dones && work && tb_loop_now_ms(lab->loop) > work->deadline_ms + OPS_MS / 6) {
        fail_msg("operation %d has not ended in time; it is in state %d", (int)lab->op.kind,
                 work->state);
    }
    return lab->dones;
}

int ops_end(struct ops_lab *lab)
{
    OPS_WAIT(lab, has_ended(lab));
    assert_int_equal(lab->dones, 1);
    return lab->result.code;
}

static int run(struct ops_lab *lab, enum tb_op_kind kind, const char *fmt, va_list args)
{
    if (!lab->loop) {
        skip();
    }
    TB_AUTO(tb_free) char *text = NULL;
    assert_true(vasprintf(&text, fmt, args) >= 0);
    ops_begin(lab, kind, OPS_MS / 3, text);
    return ops_end(lab);
}

int ops_run(struct ops_lab *lab, enum tb_op_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int code = run(lab, kind, fmt, args);
    va_end(args);
    return code;
}

void ops_ok(struct ops_lab *lab, enum tb_op_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int code = run(lab, kind, fmt, args);
    va_end(args);
    if (code != 0) {
        fail_msg("%s %s: %s: %s", tb_op_name(kind), fmt, tb_err_name(code), lab->result.message);
    }
}

void ops_fails(struct ops_lab *lab, int code, enum tb_op_kind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int have = run(lab, kind, fmt, args);
    va_end(args);
    if (have != code) {
        fail_msg("%s %s: %s: %s, not %s", tb_op_name(kind), fmt, have ? tb_err_name(have) : "well",
                 lab->result.message, tb_err_name(code));
    }
    assert_true(lab->result.message[0] != '\0');
}

/* The words that come have come, or do not matter; the others never will. */
static bool is_unheard(const struct ops_lab *lab, bool struck)
{
    const struct tb_cdp_work *work = ops_work(lab);
    return work && tb_timer_armed(&work->expected.timer) && (work->expected.struck || !struck);
}

int ops_run_unheard(struct ops_lab *lab, bool struck, enum tb_op_kind kind, const char *args)
{
    ops_begin(lab, kind, OPS_MS / 3, args);
    OPS_WAIT(lab, has_ended(lab) || is_unheard(lab, struck));
    if (!lab->dones) {
        tb_timer_start(&ops_work(lab)->expected.timer, 0);
    }
    return ops_end(lab);
}

void ops_goto(struct ops_lab *lab, const char *path)
{
    ops_ok(lab, TB_OP_NAVIGATE, "{'url':'http://127.0.0.1:%d%s'}", lab->port, path);
}

const char *ops_text(struct ops_lab *lab, const char *key)
{
    const struct cJSON *value = tb_json_get(lab->result.data, key);
    struct tb_str text;
    TB_AUTO(tb_buf_fini) struct tb_buf json = TB_BUF(sizeof(lab->text));
    lab->text[0] = '\0';
    if (tb_json_str(value, &text)) {
        snprintf(lab->text, sizeof(lab->text), "%.*s", TB_STR_ARG(text));
    } else if (value && tb_json_print(value, &json) == 0) {
        snprintf(lab->text, sizeof(lab->text), "%.*s", TB_STR_ARG(tb_buf_str(&json)));
    }
    return lab->text;
}

int64_t ops_int(struct ops_lab *lab, const char *key)
{
    int64_t value = -1;
    tb_json_int(tb_json_get(lab->result.data, key), &value);
    return value;
}

const char *ops_out(struct ops_lab *lab)
{
    uint8_t *room;
    assert_int_equal(tb_buf_reserve(&lab->result.text, 1, &room), 0);
    *room = '\0';
    return (const char *)lab->result.text.data;
}

const char *ops_eval(struct ops_lab *lab, const char *script)
{
    ops_ok(lab, TB_OP_EVALUATE, "{'script':'%s'}", script);
    return ops_out(lab);
}

void ops_ref(struct ops_lab *lab, const char *words, char ret_ref[32])
{
    const char *line = strstr(ops_out(lab), words);
    const char *ref = line ? strstr(line, "[ref=") : NULL;
    const char *end = line ? strchr(line, '\n') : NULL;
    if (!ref || (end && ref > end)) {
        fail_msg("no ref for %s in:\n%s", words, ops_out(lab));
        return;
    }
    snprintf(ret_ref, 32, "%.*s", (int)strcspn(ref + 5, "]"), ref + 5);
}
