/* SPDX-License-Identifier: Apache-2.0 */
/* A tab whose host is the test: no browser, no context, no session. */
#include "driver/cdp/page/host.h"

#include "base/json.h"
#include "core/event.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/page/requests.h"
#include "driver/cdp/wire/conn_rig.h"

struct fake {
    struct rig rig; /* its line; we are the browser */
    struct tb_buf script;
    struct tb_cdp_peer peer;
    struct tb_cdp_host host;
    struct tb_cdp_tab_user user;
    struct tb_cdp_running running;
    struct tb_cdp_page *page;
    struct tb_buf heard; /* by host and operation, a word each */
    bool gives_up;
};

static void note(struct fake *fake, const char *word)
{
    tb_buf_printf(&fake->heard, "%s ", word);
}

static struct fake *fake_of(struct tb_cdp_host *host)
{
    return TB_CONTAINER(host, struct fake, host);
}

static void page_ready(struct tb_cdp_host *host, struct tb_cdp_page *page)
{
    (void)page;
    note(fake_of(host), "ready");
}

static bool page_failed(struct tb_cdp_host *host)
{
    struct fake *fake = fake_of(host);
    struct tb_err err;
    note(fake, "failed");
    if (fake->gives_up) {
        tb_fail(&err, TB_E_PAGE_CRASHED, "the page has crashed");
        tb_cdp_page_end(fake->page, &err);
    }
    return fake->gives_up;
}

static void page_loaded(struct tb_cdp_host *host)
{
    note(fake_of(host), "loaded");
}

static void page_ended(struct tb_cdp_host *host, struct tb_cdp_page *page)
{
    (void)page;
    note(fake_of(host), "ended");
}

static void want_tab(struct tb_cdp_host *host)
{
    note(fake_of(host), "want_tab");
}

static void tell(struct tb_cdp_host *host, const struct tb_event *event)
{
    const struct tb_field *field = &event->fields[0];
    tb_buf_printf(&fake_of(host)->heard, "%s:%s=%.*s ",
                  event->type == TB_EVENT_DIALOG_OPENED  ? "dialog"
                  : event->type == TB_EVENT_PAGE_CRASHED ? "crash"
                                                         : "?",
                  field->name, TB_STR_ARG(field->text));
}

static void on_host_event(struct tb_cdp_host *host, struct tb_cdp_page *page,
                          const char *session_id, struct tb_str method, struct tb_str params)
{
    (void)page;
    (void)params;
    tb_buf_printf(&fake_of(host)->heard, "%s:%.*s ", session_id, TB_STR_ARG(method));
}

static const struct tb_cdp_host_ops host_ops = {
    .page_ready = page_ready,
    .page_failed = page_failed,
    .page_loaded = page_loaded,
    .page_ended = page_ended,
    .want_tab = want_tab,
    .tell = tell,
    .on_event = on_host_event,
};

static struct fake *fake_running(struct tb_cdp_running *running)
{
    return TB_CONTAINER(running, struct fake, running);
}

static void op_notice(struct tb_cdp_running *running)
{
    note(fake_running(running), "op:notice");
}

static void op_chooser_known(struct tb_cdp_running *running)
{
    note(fake_running(running), "op:chooser");
}

static void op_dismissed(struct tb_cdp_running *running, const struct tb_cdp_dialog *dialog)
{
    tb_buf_printf(&fake_running(running)->heard, "op:dismissed:%s ", dialog->message);
}

static void op_moved(struct tb_cdp_running *running, const void *user)
{
    note(fake_running(running), user == running ? "op:moved" : "op:other_moved");
}

static void op_told(struct tb_cdp_running *running, struct tb_cdp_page *page,
                    const struct cJSON *told)
{
    assert_ptr_equal(page, fake_running(running)->page);
    note(fake_running(running), tb_json_get(told, "clicks") ? "op:clicks" : "op:told");
}

static void op_event(struct tb_cdp_running *running, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params)
{
    (void)page;
    (void)params;
    tb_buf_printf(&fake_running(running)->heard, "op:%.*s ", TB_STR_ARG(method));
}

static void op_unheard(struct tb_cdp_running *running, const struct tb_cdp_page *page)
{
    (void)page;
    note(fake_running(running), "op:unheard");
}

static const struct tb_cdp_running_ops running_ops = {
    .notice = op_notice,
    .chooser_known = op_chooser_known,
    .dismissed = op_dismissed,
    .moved = op_moved,
    .told = op_told,
    .on_event = op_event,
    .unheard = op_unheard,
};

/* What the page has asked so far is answered: the commands have the numbers from 1. */
static void answer(struct fake *fake, int from, int to)
{
    for (int id = from; id <= to; id++) {
        char reply[64];
        snprintf(reply, sizeof(reply), "{\"id\":%d,\"result\":{}}|", id);
        say(&fake->rig, reply);
    }
}

enum {
    SET_UP = 10, /* commands of a tab that has nothing emulated */
};

static void expect_heard(struct fake *fake, const char *heard)
{
    tb_buf_append_char(&fake->heard, '\0');
    assert_string_equal((const char *)fake->heard.data, heard);
    tb_buf_clear(&fake->heard);
}

/* An event of the tab; ' stands for ". */
static void event(struct fake *fake, const char *method, const char *params)
{
    char text[1024];
    int len = snprintf(text, sizeof(text), "{'method':'%s','params':%s,'sessionId':'S'}|", method,
                       params);
    for (int i = 0; i < len; i++) {
        text[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    say(&fake->rig, text);
}

static int set_up(void **state)
{
    struct fake *fake = TB_NEW(struct fake);
    *state = fake;
    rig_init(&fake->rig);
    tb_buf_init(&fake->heard, 1 << 20);
    fake->script = TB_BUF(16);
    fake->peer = (struct tb_cdp_peer){.loop = fake->rig.loop,
                                      .conn = fake->rig.conn,
                                      .script_params = &fake->script,
                                      .window_is_page = true};
    tb_list_init(&fake->peer.ended);
    tb_list_init(&fake->user.asks);
    fake->running.ops = &running_ops;
    tb_cdp_host_init(&fake->host, &host_ops, &fake->peer);
    fake->page = tb_cdp_page_new(&fake->host, TB_STR("S"), TB_STR("T"), false);
    assert_non_null(fake->page);
    return 0;
}

static int set_up_in_use(void **state)
{
    set_up(state);
    struct fake *fake = *state;
    answer(fake, 1, SET_UP);
    expect_heard(fake, "ready ");
    fake->host.user = &fake->user;
    fake->user.running = &fake->running;
    return 0;
}

static int tear_down(void **state)
{
    struct fake *fake = *state;
    struct tb_err err;
    tb_fail(&err, TB_E_CLOSED, "the test is over");
    while (!tb_list_empty(&fake->host.pages)) {
        tb_cdp_page_end(TB_CONTAINER(fake->host.pages.next, struct tb_cdp_page, link), &err);
    }
    tb_cdp_pages_free_ended(&fake->peer);
    rig_fini(&fake->rig);
    tb_buf_fini(&fake->heard);
    tb_buf_fini(&fake->script);
    tb_free(fake);
    return 0;
}

static void a_page_that_is_set_up_is_ready(void **state)
{
    struct fake *fake = *state;
    assert_int_equal(fake->host.page_count, 1);
    assert_ptr_equal(tb_cdp_host_page(&fake->host, TB_STR("T")), fake->page);
    answer(fake, 1, SET_UP - 1);
    expect_heard(fake, "");
    answer(fake, SET_UP, SET_UP);
    expect_heard(fake, "ready ");
}

static void a_page_that_is_never_set_up_is_given_up_or_asked_again(void **state)
{
    struct fake *fake = *state;
    advance(&fake->rig, TB_CDP_COMMAND_MS);
    expect_heard(fake, "failed ");
    answer(fake, SET_UP + 1, SET_UP + 4);
    expect_heard(fake, "ready ");
}

static void a_host_may_go_with_a_page_that_crashes(void **state)
{
    struct fake *fake = *state;
    fake->gives_up = true;
    event(fake, "Inspector.targetCrashed", "{}");
    expect_heard(fake, "crash:url=about:blank failed ended ");
    assert_int_equal(fake->host.page_count, 0);
    assert_true(tb_list_empty(&fake->peer.ended)); /* freed at the end of that turn */
}

static void the_operation_hears_of_dialogs_navigations_and_requests(void **state)
{
    struct fake *fake = *state;
    event(fake, "Page.frameRequestedNavigation",
          "{'frameId':'T','disposition':'currentTab','reason':'anchorClick','url':'http://a/'}");
    expect_heard(fake, "op:notice ");
    event(fake, "Network.requestWillBeSent", "{}");
    expect_heard(fake, "op:Network.requestWillBeSent S:Network.requestWillBeSent ");
    event(fake, "Log.entryAdded", "{}");
    expect_heard(fake, "S:Log.entryAdded ");
    event(fake, "Page.javascriptDialogOpening", "{'type':'alert','message':'m'}");
    expect_heard(fake, "dialog:type=alert op:notice ");
    tb_cdp_page_dismiss(fake->page);
    expect_heard(fake, "op:dismissed:m ");
}

static void what_the_page_tells_goes_to_the_operation_and_counts_refs(void **state)
{
    struct fake *fake = *state;
    event(fake, "Runtime.bindingCalled",
          "{'name':'tabardTell','payload':'{\\\"clicks\\\":1,\\\"last\\\":7}'}");
    expect_heard(fake, "op:clicks S:Runtime.bindingCalled ");
    assert_int_equal(fake->user.last_ref, 7);
    fake->user.running = NULL;
    event(fake, "Runtime.bindingCalled",
          "{'name':'tabardTell','payload':'{\\\"last\\\":6,\\\"status\\\":200,\\\"url\\\":"
          "\\\"about:blank\\\"}'}");
    expect_heard(fake, "S:Runtime.bindingCalled ");
    assert_int_equal(fake->user.last_ref, 7);
    assert_non_null(tb_cdp_page_arrived(fake->page));
    event(fake, "Runtime.bindingCalled", "{'name':'other','payload':'{\\\"last\\\":9}'}");
    assert_int_equal(fake->user.last_ref, 7);
}

static void a_page_that_tells_of_requests_without_end_is_not_heard_any_longer(void **state)
{
    struct fake *fake = *state;
    const struct {
        bool keeps_network;
        const char *heard;
    } rows[] = {{true, "op:Network.x S:Network.x "}, {false, "op:unheard S:Network.x "}};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        fake->user.keeps_network = rows[i].keeps_network;
        tb_cdp_requests_tell(tb_cdp_page_main_frame(fake->page), false);
        for (int n = 0; n < 500; n++) {
            event(fake, "Network.x", "{}");
        }
        tb_buf_clear(&fake->heard);
        event(fake, "Network.x", "{}");
        expect_heard(fake, rows[i].heard);
    }
}

static void what_is_asked_of_a_page_ends_with_it(void **state)
{
    struct fake *fake = *state;
    struct tb_err err;
    tb_cdp_page_send(fake->page, "A.b", TB_STR(""), INT64_MAX, on_reply, &fake->rig);
    tb_cdp_page_send(fake->page, "A.c", TB_STR(""), INT64_MAX, on_reply, &fake->user);
    tb_cdp_asks_forget(&fake->user.asks, &fake->user);
    tb_fail(&err, TB_E_TAB_NOT_FOUND, "the tab was closed");
    tb_cdp_page_end(fake->page, &err);
    expect_heard(fake, "ended ");
    expect(&fake->rig, "tab_not_found ");
    assert_true(tb_list_empty(&fake->user.asks));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_that_is_set_up_is_ready, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_that_is_never_set_up_is_given_up_or_asked_again,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_host_may_go_with_a_page_that_crashes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_operation_hears_of_dialogs_navigations_and_requests,
                                        set_up_in_use, tear_down),
        cmocka_unit_test_setup_teardown(what_the_page_tells_goes_to_the_operation_and_counts_refs,
                                        set_up_in_use, tear_down),
        cmocka_unit_test_setup_teardown(
            a_page_that_tells_of_requests_without_end_is_not_heard_any_longer, set_up_in_use,
            tear_down),
        cmocka_unit_test_setup_teardown(what_is_asked_of_a_page_ends_with_it, set_up_in_use,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
