/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cdp_lab.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include <dirent.h>

#include "driver/cdp/browser/helpers.h"

#include "support/guarded.h"

void lab_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    *(bool *)user = true;
}

static void lab_on_head(struct tb_http_req *req, void *user)
{
    (void)req;
    (void)user;
}

static void lab_on_request(struct tb_http_req *req, void *user)
{
    struct lab *lab = user;
    const struct tb_http1_head *head = tb_http_req_head(req);
    struct tb_str target = head->target;
    struct tb_str path = tb_str_cut(&target, '?');
    if (tb_str_eq_cstr(path, "/held")) {
        lab->held = req;
        return;
    }
    tb_buf_printf(&lab->cookies, "%.*s ", TB_STR_ARG(tb_http1_header(head, "cookie")));
    for (const struct lab_doc *doc = lab->docs; doc && doc->path; doc++) {
        if (tb_str_eq_cstr(path, doc->path)) {
            struct tb_http_header type = {"Content-Type",
                                          tb_str_of(doc->type ? doc->type : "text/html")};
            tb_http_reply(req, doc->status ? doc->status : 200, &type, 1, tb_str_of(doc->body));
            return;
        }
    }
    tb_http_reply(req, 404, NULL, 0, TB_STR("nothing here"));
}

static void lab_on_gone(struct tb_http_req *req, bool complete, void *user)
{
    struct lab *lab = user;
    (void)complete;
    lab->held = lab->held == req ? NULL : lab->held;
}

static void lab_on_accept(struct tb_stream *stream, void *user)
{
    tb_http_server_add_take(((struct lab *)user)->server, stream);
}

/* Page functions for these tests, in place of those of page/. */
static void lab_set_script(struct tb_cdp_fleet *fleet)
{
    static const char source[] =
        "var tabard = {sent() {}, echo(...args) { return args; },"
        " describe() { return {url: location.href, title: document.title}; },"
        " waitFor() { return new Promise(() => {}); },"
        " act() { return new Promise(() => {}); },"
        " leave(url) { location.href = url; return new Promise(() => {}); },"
        " fails() { return {error: {code: 'element_not_found', message: 'no such \"thing\"'}}; },"
        " throws() { throw new Error('boom'); },"
        " spin() { for (;;) {} },"
        " point(css) { const r = document.querySelector(css).getBoundingClientRect();"
        " return {x: r.x + r.width / 2, y: r.y + r.height / 2}; }};";
    struct tb_json_writer json;
    tb_buf_clear(&fleet->script_params);
    tb_json_writer_init(&json, &fleet->script_params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "source", source);
    tb_json_member_cstr(&json, "worldName", "tabard");
    tb_json_member_bool(&json, "runImmediately", true);
    tb_json_object_close(&json);
}

void lab_init(struct lab *lab, const struct lab_doc *docs)
{
    static const struct tb_http_server_ops ops = {lab_on_head, lab_on_request, lab_on_gone};
    static const struct tb_http_server_limits limits = {
        .parser = {.line_max = 8192, .head_max = 32768, .header_count = 64, .body_max = 65536},
        .connections_max = 100,
        .send_max = 1 << 20,
    };
    memset(lab, 0, sizeof(*lab));
    lab->docs = docs;
    lab->loop = tb_loop_new(tb_clock_system());
    lab->server = tb_http_server_new(lab->loop, &limits, &ops, lab);
    lab->listener = tb_listener_new_tcp(lab->loop, "127.0.0.1", 0, NULL, lab_on_accept, lab, NULL);
    assert_non_null(lab->listener);
    snprintf(lab->base, sizeof(lab->base), "http://127.0.0.1:%d", tb_listener_port(lab->listener));
    tb_buf_init(&lab->cookies, 1 << 20);
    tb_config_init(&lab->config);
    const char *engine = getenv("TB_TEST_ENGINE");
    if (engine) {
        lab_set(lab, "browser.engine", engine);
    }
    lab->core.loop = lab->loop;
    lab->core.clock = tb_clock_system();
    lab->core.config = &lab->config;
    guarded_or_exit();
    lab->fleet = tb_cdp_fleet_new(&lab->core, "/proc/self/exe");
    lab_set_script(lab->fleet);
}

void lab_fini(struct lab *lab)
{
    tb_cdp_fleet_free(lab->fleet);
    tb_listener_free(lab->listener);
    tb_http_server_free(lab->server);
    tb_loop_free(lab->loop);
    tb_buf_fini(&lab->cookies);
    tb_config_fini(&lab->config);
}

void lab_set(struct lab *lab, const char *path, const char *value)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].path, path) == 0) {
            assert_int_equal(tb_config_set(&lab->config, &keys[i], tb_str_of(value), NULL), 0);
        }
    }
}

static void lab_on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss,
                        const char *detail)
{
    struct lab_session *session = owner;
    session->lost++;
    assert_int_equal(loss, TB_LOSS_RESTORABLE);
    tb_fail(&session->err, tb_end_reason_loss_code(reason), "%s", detail);
}

static void lab_on_event(void *owner, const struct tb_event *event)
{
    ((struct lab_session *)owner)->events[event->type]++;
}

static void lab_on_open(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct lab_session *own = owner;
    own->session = session;
    own->opened = true;
    if (err) {
        own->err = *err;
    }
}

void lab_start(struct lab *lab, struct lab_session *session, const char *tenant, const char *args)
{
    static const struct tb_driver_events events = {.on_lost = lab_on_lost,
                                                   .on_event = lab_on_event};
    TB_AUTO(tb_json_free) struct cJSON *json = args ? tb_json_parse(tb_str_of(args)) : NULL;
    memset(session, 0, sizeof(*session));
    session->lab = lab;
    struct tb_open_opts opts = {
        .tenant = tenant,
        .session_id = "test",
        .args = json,
        .deadline_ms = tb_loop_now_ms(lab->loop) + LAB_MS,
        .events = &events,
        .owner = session,
    };
    tb_driver_cdp.open(lab->fleet, &opts, lab_on_open);
}

void lab_open(struct lab *lab, struct lab_session *session)
{
    lab_start(lab, session, "default", NULL);
    LAB_WAIT(lab, session->opened);
    if (!session->session) {
        print_error("%s\n", session->err.text);
    }
    assert_non_null(session->session);
}

static void lab_on_closed(void *owner)
{
    ((struct lab_session *)owner)->closed = true;
}

void lab_close(struct lab_session *session)
{
    tb_cdp_session_close(session->session, lab_on_closed, session);
    LAB_WAIT(session->lab, session->closed);
}

static void lab_take(struct lab_answer *answer, int code, struct tb_str value,
                     const struct tb_err *err)
{
    answer->done = true;
    answer->code = code;
    snprintf(answer->value, sizeof(answer->value), "%.*s", TB_STR_ARG(value));
    snprintf(answer->words, sizeof(answer->words), "%s", err ? err->text : "");
}

void lab_on_reply(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    lab_take(user, code, value, err);
}

void lab_on_settled(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct lab_answer *answer = user;
    lab_take(answer, code, TB_STR(""), err);
    answer->navigated = navigated;
}

int64_t lab_deadline(struct lab *lab)
{
    return tb_loop_now_ms(lab->loop) + LAB_MS;
}

void lab_begin_call(struct lab_session *session, struct lab_answer *answer, const char *function,
                    const char *args)
{
    memset(answer, 0, sizeof(*answer));
    struct tb_cdp_page *page = tb_cdp_session_page(session->session);
    assert_non_null(page);
    tb_cdp_page_call(tb_cdp_page_main_frame(page), function, tb_str_of(args),
                     lab_deadline(session->lab), lab_on_reply, answer);
}

void lab_call(struct lab_session *session, struct lab_answer *answer, const char *function,
              const char *args)
{
    lab_begin_call(session, answer, function, args);
    LAB_WAIT(session->lab, answer->done);
}

void lab_begin(struct lab_session *session, struct lab_answer *answer, const char *method,
               const char *params)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_page_send(tb_cdp_session_page(session->session), method, tb_str_of(params),
                     lab_deadline(session->lab), lab_on_reply, answer);
}

void lab_send(struct lab_session *session, struct lab_answer *answer, const char *method,
              const char *params)
{
    lab_begin(session, answer, method, params);
    LAB_WAIT(session->lab, answer->done);
}

void lab_eval(struct lab_session *session, struct lab_answer *answer, const char *script)
{
    char params[2048];
    snprintf(params, sizeof(params), "{\"expression\":\"%s\",\"returnByValue\":true}", script);
    lab_send(session, answer, "Runtime.evaluate", params);
}

void lab_settle(struct lab_session *session, uint64_t mark, const char *until,
                struct lab_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    tb_cdp_page_settle(tb_cdp_session_page(session->session), mark, until,
                       lab_deadline(session->lab), lab_on_settled, answer);
    LAB_WAIT(session->lab, answer->done);
}

void lab_goto(struct lab_session *session, const char *host, const char *path)
{
    struct lab_answer answer;
    char params[512];
    snprintf(params, sizeof(params), "{\"url\":\"http://%s:%d%s\"}", host,
             tb_listener_port(session->lab->listener), path);
    uint64_t mark = tb_cdp_page_navigation_mark(tb_cdp_session_page(session->session));
    lab_send(session, &answer, "Page.navigate", params);
    assert_int_equal(answer.code, 0);
    lab_settle(session, mark, "load", &answer);
    assert_string_equal(answer.words, "");
    assert_true(answer.navigated);
}

void lab_click(struct lab_session *session, double x, double y, struct lab_answer *answer)
{
    static const char form[] =
        "{\"type\":\"%s\",\"x\":%f,\"y\":%f,\"button\":\"left\",\"clickCount\":1}";
    char params[256];
    struct lab_answer pressed;
    snprintf(params, sizeof(params), form, "mousePressed", x, y);
    lab_begin(session, &pressed, "Input.dispatchMouseEvent", params);
    snprintf(params, sizeof(params), form, "mouseReleased", x, y);
    lab_send(session, answer, "Input.dispatchMouseEvent", params);
}

void lab_read_proc(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    FILE *in = fopen(path, "r");
    size_t len = in ? fread(text, 1, size - 1, in) : 0;
    for (size_t i = 0; i < len; i++) {
        if (!text[i]) {
            text[i] = ' '; /* between arguments */
        }
    }
    text[len] = '\0';
    if (in) {
        fclose(in);
    }
}

size_t lab_group(pid_t leader, const char *words, pid_t *ret_pids, size_t max)
{
    size_t count = 0;
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        uint64_t pid;
        char text[4096];
        if (!tb_str_to_u64(tb_str_of(entry->d_name), &pid) || getpgid((pid_t)pid) != leader) {
            continue;
        }
        lab_read_proc((pid_t)pid, "cmdline", text, sizeof(text));
        if (text[0] && strstr(text, words)) {
            if (count < max) {
                ret_pids[count] = (pid_t)pid;
            }
            count++;
        }
    }
    closedir(dir);
    return count;
}

void lab_kill_in_silence(pid_t pid)
{
    int fd = pidfd_open(pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    int got;
    assert_true(fd >= 0);
    kill(pid, SIGKILL);
    do {
        got = poll(&end, 1, LAB_MS); /* all its threads, not only the first */
    } while (got < 0 && errno == EINTR);
    assert_int_equal(got, 1);
    close(fd);
}

pid_t lab_network_service(struct tb_loop *loop, struct tb_cdp_browser *browser)
{
    pid_t service = 0;
    char info[128];
    assert_non_null(browser->helpers);
    assert_int_equal(
        lab_group(tb_launch_pid(browser->launch), "network.mojom.NetworkService", &service, 1), 1);
    snprintf(info, sizeof(info),
             "{\"processInfo\":[{\"type\":\"network.mojom.NetworkService\",\"id\":%d}]}",
             (int)service);
    tb_cdp_helpers_take(browser->helpers, tb_str_of(info));
    tb_loop_turn(loop, false);
    return service;
}

bool lab_has_browser(void)
{
    bool found = tb_cdp_browser_find("", true) != NULL;
    if (!found) {
        print_message("no Chromium is installed: install chromium-headless-shell to run this\n");
    }
    return found;
}

int lab_setup_open(void **state, const struct lab_doc *docs, const char *path, const char *value)
{
    struct lab_setup *setup = TB_NEW(struct lab_setup);
    *state = setup;
    if (lab_has_browser()) {
        lab_init(&setup->lab, docs);
        if (path) {
            lab_set(&setup->lab, path, value);
        }
        lab_open(&setup->lab, &setup->session);
    }
    return 0;
}

int lab_setup_close(void **state)
{
    struct lab_setup *setup = *state;
    if (setup->lab.loop) {
        lab_close(&setup->session);
        lab_fini(&setup->lab);
    }
    tb_free(setup);
    return 0;
}
