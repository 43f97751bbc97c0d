/* SPDX-License-Identifier: Apache-2.0 */
#include "core/toolbox.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/session_internal.h"
#include "core/view.h"

#include "support/fake_store.h"
#include "support/principals.h"

static const struct tb_config_list no_groups = {NULL, 0};

static struct tb_view *view_of(struct rig *rig, const char *toolset, const char *groups)
{
    struct tb_view *view = NULL;
    assert_int_equal(tb_view_make(&rig->core.views, tb_str_of(toolset), tb_str_of(groups),
                                  &no_groups, &view, NULL),
                     0);
    return view;
}

static int find(struct rig *rig, struct tb_view *view, const char *name, struct tb_entry *ret_entry)
{
    const struct tb_caller caller = {.who = &principal_t, .conversation = "", .view = view};
    return tb_toolbox_find(&rig->core, &caller, NULL, tb_str_of(name), ret_entry, NULL);
}

static void there_is_one_view_for_each_choice(void **state)
{
    struct rig *rig = *state;
    struct tb_view *first = view_of(rig, "", "pdf,files");
    struct tb_view *again = view_of(rig, "default", " files , pdf ");
    struct tb_view *other = view_of(rig, "", "pdf");
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_int_equal(first->refs, 2);
    tb_view_unref(first, "test");
    tb_view_unref(again, "test");
    tb_view_unref(other, "test");
    assert_true(tb_list_empty(&rig->core.views.in_use));
}

static void a_caller_finds_what_it_was_given(void **state)
{
    struct rig *rig = *state;
    struct tb_entry entry;
    struct tb_view *plain = view_of(rig, "", "");
    struct tb_view *more = view_of(rig, "", "pdf");
    struct tb_view *octopus = view_of(rig, "octopus", "");
    assert_int_equal(find(rig, plain, "browser_pdf", &entry), TB_E_UNKNOWN_TOOL);
    assert_int_equal(find(rig, more, "browser_pdf", &entry), 0);
    assert_string_equal(entry.tool->name, "browser_pdf");
    assert_null(entry.face);
    assert_int_equal(find(rig, NULL, "browser_pdf", &entry), 0);
    assert_int_equal(find(rig, octopus, "start_session", &entry), TB_E_UNKNOWN_TOOL);
    assert_string_equal(entry.tool->name, "browser_pdf"); /* as it was */
    assert_int_equal(find(rig, octopus, octopus->toolset->faces->name, &entry), 0);
    assert_ptr_equal(entry.face, octopus->toolset->faces);
    tb_view_unref(plain, "test");
    tb_view_unref(more, "test");
    tb_view_unref(octopus, "test");
}

static void groups_of_the_configuration_are_always_there(void **state)
{
    struct rig *rig = *state;
    char *items[] = {(char *)(uintptr_t) "pdf"};
    const struct tb_config_list always = {items, 1};
    struct tb_entry entry;
    struct tb_view *view = NULL;
    assert_int_equal(tb_view_make(&rig->core.views, TB_STR(""), TB_STR(""), &always, &view, NULL),
                     0);
    assert_int_equal(find(rig, view, "browser_pdf", &entry), 0);
    tb_view_unref(view, "test");
}

static void what_does_not_exist_is_told_what_does(void **state)
{
    struct rig *rig = *state;
    struct tb_view *view = NULL;
    struct tb_err err;
    assert_int_equal(
        tb_view_make(&rig->core.views, TB_STR("nope"), TB_STR(""), &no_groups, &view, &err),
        TB_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "octopus"));
    assert_int_equal(
        tb_view_make(&rig->core.views, TB_STR(""), TB_STR("pdf,nope"), &no_groups, &view, &err),
        TB_E_PARAMS);
    assert_non_null(strstr(err.text, "emulate"));
}

static void operations_lead_to_their_tool(void **state)
{
    const struct tb_kit *kit = ((struct rig *)*state)->core.views.kit;
    assert_string_equal(tb_tool_by_op(kit, TB_OP_SCREENSHOT)->name, "browser_screenshot");
    assert_string_equal(tb_tool_by_op(kit, TB_OP_DOWNLOADS)->name, "browser_downloads");
    assert_null(tb_tool_by_op(kit, TB_OP_NONE)); /* those that run have no operation of their own */
}

/* What a session brings. */

static struct tb_brought *brought(const char *name, const char *handle)
{
    struct tb_brought *tool = NULL;
    assert_int_equal(tb_brought_new(name, "https://a.test", handle, TB_STR("{}"), &tool, NULL), 0);
    return tool;
}

static void bring(struct rig *rig, const char *session, size_t count, const char *const *names)
{
    struct tb_brought **tools = tb_zalloc_array(count + 1, sizeof(*tools));
    for (size_t i = 0; i < count; i++) {
        tools[i] = brought(names[i], names[i]);
    }
    assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, session)->id, tools, count));
}

static void put_name(const struct tb_entry *entry, void *user)
{
    if (entry->brought) {
        tb_buf_printf(user, "%s ", entry->brought->shown);
    }
}

static void expect_names(struct rig *rig, const char *session, const char *names)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    const struct tb_caller caller = {.who = &principal_t, .conversation = ""};
    tb_toolbox_each(&rig->core, &caller, rig_find(rig, session), put_name, &text);
    tb_buf_append_char(&text, '\0');
    assert_string_equal((const char *)text.data, names);
}

/* INJ-4: what is built in cannot be shadowed. */
static void a_tool_of_the_build_keeps_its_name(void **state)
{
    static const char *const names[] = {
        "add", "browser_click", "click",         "tap_element",        "add",
        "add", "page_click",    "mcp__x__click", "a tool: h\xc3\xb6!", "browser_click"};
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", TB_COUNT(names), names);
    expect_names(rig, "a",
                 "add page_browser_click page_click page_tap_element page_add page_add_2 "
                 "page_page_click page_mcp__x__click a_tool__h___ page_browser_click_2 ");
}

static void a_list_replaces_the_one_before_and_goes_with_its_session(void **state)
{
    static const char *const first[] = {"add", "remove"};
    static const char *const second[] = {"undo"};
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 0, NULL);
    assert_int_equal(rig_events(rig, "tools_changed"), 0);
    bring(rig, "a", 2, first);
    assert_int_equal(rig_events(rig, "tools_changed {\"name\":\"a\",\"type\":\"browser\","
                                     "\"tools\":2}"),
                     1);
    bring(rig, "a", 1, second);
    bring(rig, "a", 1, second); /* the same again is no news */
    expect_names(rig, "a", "undo ");
    bring(rig, "a", 0, NULL);
    expect_names(rig, "a", "");
    bring(rig, "a", 1, second);
    assert_int_equal(rig_events(rig, "tools_changed"), 4);
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    assert_int_equal(rig_events(rig, "\"tools\":0}"), 2);
}

static void tools_go_with_the_browser_of_their_page(void **state)
{
    static const char *const names[] = {"add"};
    struct rig *rig = *state;
    for (int lost = 0; lost <= 1; lost++) {
        assert_int_equal(rig_run(rig, &rig_navigate, "", NULL), 0);
        bring(rig, "browser-1", 1, names);
        if (lost) {
            tb_fake_lose(rig->fake, rig_find(rig, "browser-1")->id);
            rig_turn(rig);
        } else {
            rig_advance(rig, rig->config.sessions_named_idle_ms);
        }
        assert_true(tb_session_info(rig_find(rig, "browser-1")).hibernated);
        expect_names(rig, "browser-1", "");
        assert_int_equal(rig_events(rig, "\"tools\":0}"), lost + 1);
    }
}

static void end_all(const struct tb_event *event, void *user)
{
    struct rig *rig = user;
    if (event->type == TB_EVENT_TOOLS_CHANGED) {
        tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
    }
}

static void end_talk(const struct tb_event *event, void *user)
{
    struct rig *rig = user;
    const struct tb_caller caller = {.who = &principal_t, .conversation = "talk"};
    if (event->type == TB_EVENT_TOOLS_CHANGED) {
        tb_sessions_end_conversation(rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED, NULL);
    }
}

/* They hear of it from a session that is ending, but that they still find. */
static void whoever_hears_that_tools_go_may_end_sessions(void **state)
{
    static const char *const names[] = {"add"};
    struct rig *rig = *state;
    struct tb_subscriber listeners[] = {{.fn = end_all, .user = rig},
                                        {.fn = end_talk, .user = rig}};
    for (size_t i = 0; i < TB_COUNT(listeners); i++) {
        rig_create(rig, "a");
        rig_run(rig, &rig_navigate, "talk", NULL);
        bring(rig, i ? "browser-2" : "a", 1, names);
        tb_bus_subscribe(&rig->core.bus, &listeners[i]);
        tb_session_end(rig_find(rig, i ? "browser-2" : "a"), TB_END_CLOSED);
        tb_bus_unsubscribe(&listeners[i]);
        assert_int_equal(tb_sessions_count(rig->core.sessions), i);
        rig_turn(rig);
    }
}

/* INJ-4 */
static void what_a_page_brings_has_ceilings(void **state)
{
    struct rig *rig = *state;
    struct tb_brought **tools = tb_zalloc_array(TB_BROUGHT_MAX + 5, sizeof(struct tb_brought *));
    struct tb_brought *tool = NULL;
    char name[TB_BROUGHT_NAME_MAX + 2];
    TB_AUTO(tb_free) char *large = tb_strdupf("{\"a\":\"%0*d\"}", TB_BROUGHT_JSON_MAX, 0);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(tb_brought_new(name, "", "", TB_STR("{}"), &tool, NULL), TB_E_PARAMS);
    assert_int_equal(tb_brought_new("", "", "", TB_STR("{}"), &tool, NULL), TB_E_PARAMS);
    assert_int_equal(tb_brought_new("a", "", "", TB_STR("[]"), &tool, NULL), TB_E_PARAMS);
    assert_int_equal(tb_brought_new("a", "", "", TB_STR("{\"a\":}"), &tool, NULL), TB_E_PARAMS);
    assert_int_equal(tb_brought_new("a", "", "", tb_str_of(large), &tool, NULL), TB_E_PARAMS);
    rig_create(rig, "a");
    rig_turn(rig);
    for (size_t i = 0; i < TB_BROUGHT_MAX + 5; i++) {
        tools[i] = brought(name + 1, "h"); /* all of one name, which is as long as can be */
    }
    assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, "a")->id, tools, TB_BROUGHT_MAX + 5));
    assert_int_equal(rig_events(rig, "\"tools\":100}"), 1);
}

/* One bad tool of a page must not cost an agent its whole list. */
static void what_agents_would_not_take_is_refused(void **state)
{
    static const char *const bad[] = {
        "{\"title\":1}",
        "{\"description\":null}",
        "{\"description\":\"a\",\"description\":\"b\"}",
        "{\"description\":\"a\",\"d\\u0065scription\":\"b\"}",
        "{\"annotations\":[]}",
        "{\"inputSchema\":\"object\"}",
        "{\"inputSchema\":{}}",
        "{\"inputSchema\":{\"type\":\"string\"}}",
        "{\"inputSchema\":{\"type\":[\"object\"]}}",
        "{\"inputSchema\":{\"type\":\"object\",\"type\":\"object\"}}",
    };
    static const char *const good[] = {
        "{\"title\":\"\",\"x\":[1],\"annotations\":{}}",
        "{\"inputSchema\":{\"properties\":{\"type\":1},\"type\":\"\\u006fbject\"}}",
    };
    (void)state;
    struct tb_brought *tool = NULL;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_int_equal(tb_brought_new("a", "", "", tb_str_of(bad[i]), &tool, NULL), TB_E_PARAMS);
    }
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        assert_int_equal(tb_brought_new("a", "", "", tb_str_of(good[i]), &tool, NULL), 0);
        tb_brought_unref(tool, "test");
    }
}

/* INJ-4 */
static void all_that_a_page_brings_has_a_ceiling(void **state)
{
    struct rig *rig = *state;
    const size_t count = 2 * TB_BROUGHT_BYTES_MAX / TB_BROUGHT_JSON_MAX;
    struct tb_brought **tools = tb_zalloc_array(count, sizeof(*tools));
    TB_AUTO(tb_free)
    char *large = tb_strdupf("{\"a\":\"%0*d\"}", TB_BROUGHT_JSON_MAX - 8, 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tb_brought_new("a", "", "", tb_str_of(large), &tools[i], NULL), 0);
    }
    rig_create(rig, "a");
    rig_turn(rig);
    assert_true(tb_fake_bring_take(rig->fake, rig_find(rig, "a")->id, tools, count));
    assert_int_equal(rig_events(rig, "\"tools\":8}"), 1);
}

/* Calling them. */

struct told {
    int code;
    bool is_error;
    char text[1024];
    char message[1024];
    char raw[512];
    char session[TB_NAME_SIZE];
};

static void on_called(struct tb_call *call, void *user)
{
    struct told *told = user;
    const struct tb_answer *answer = tb_call_answer(call, SIZE_MAX);
    told->code = answer->code;
    told->is_error = answer->is_error;
    snprintf(told->text, sizeof(told->text), "%.*s", TB_STR_ARG(answer->text));
    snprintf(told->message, sizeof(told->message), "%s", answer->message);
    snprintf(told->raw, sizeof(told->raw), "%.*s", TB_STR_ARG(answer->raw));
    snprintf(told->session, sizeof(told->session), "%s", answer->session ? answer->session : "");
}

static struct tb_call *call(struct rig *rig, const char *name, struct tb_raw args,
                            struct told *told)
{
    *told = (struct told){.code = 1};
    struct tb_call *started =
        tb_call_start(&rig->core, &(struct tb_call_request){
                                      .name = tb_str_of(name),
                                      .args = args,
                                      .caller = {.who = &principal_t, .conversation = ""},
                                      .done = on_called,
                                      .user = told,
                                  });
    rig_turn(rig);
    return started;
}

#define ODD \
    "{\"a\":\"\\u0000 \\ud800 \xc3\xa9\", \"n\":1234567890123456789012345678901234567890.10, \"a\":1 }"

static void bytes_go_to_the_page_and_come_back_as_they_are(void **state)
{
    static const char *const names[] = {"add", "browser_click"};
    struct rig *rig = *state;
    struct told told;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 2, names);
    call(rig, "add", (struct tb_raw){TB_STR(ODD), true}, &told);
    assert_int_equal(told.code, 0);
    assert_string_equal(told.raw, ODD);
    assert_string_equal(told.session, "a");
    assert_string_equal(rig->fake->invoked, "add");
    call(rig, "page_browser_click", (struct tb_raw){.json = TB_STR("")}, &told);
    assert_string_equal(told.raw, "null");
    assert_string_equal(rig->fake->invoked, "browser_click");
    assert_int_equal(rig_events(rig, "call_done {\"tool\":\"add\",\"code\":\"ok\""), 1);
    /* The tool of the build is the one that is meant by its name, and cannot read them. */
    call(rig, "browser_click", (struct tb_raw){TB_STR(ODD), true}, &told);
    assert_int_equal(told.code, TB_E_PARSE);
    call(rig, "remove", (struct tb_raw){.json = TB_STR("{}")}, &told);
    assert_int_equal(told.code, TB_E_UNKNOWN_TOOL);
    assert_string_equal(told.message,
                        "the tool 'remove' is unknown; tools/list names the available ones");
    assert_int_equal(rig_events(rig, "call_done"), 2);
}

static void a_call_outlives_the_list_that_its_tool_stood_in(void **state)
{
    static const char *const names[] = {"add"};
    struct rig *rig = *state;
    struct told told;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 1, names);
    rig->fake->ops[TB_OP_INVOKE] =
        (struct tb_fake_plan){.when = TB_FAKE_HELD, .cancel = TB_FAKE_CANCEL_IGNORED};
    struct tb_call *held = call(rig, "add", (struct tb_raw){.json = TB_STR("{}")}, &told);
    bring(rig, "a", 0, NULL);
    tb_call_cancel(held);
    rig_advance(rig, TB_CALL_GRACE_MS); /* the call goes, and the driver still has its bytes */
    assert_int_equal(told.code, TB_E_CANCELLED);
    assert_true(tb_fake_release(rig->fake, rig_find(rig, "a")->id));
    rig_turn(rig);
    assert_string_equal(rig->fake->invoked, "add");
    call(rig, "add", (struct tb_raw){.json = TB_STR("{}")}, &told);
    assert_int_equal(told.code, TB_E_UNKNOWN_TOOL);
}

/* Nor is it found by whoever waits for its turn; but a page may tell the same list once more. */
/* INJ-4 */
static void a_tool_that_goes_before_its_turn_is_not_called(void **state)
{
    static const char *const names[] = {"add", "undo"};
    struct rig *rig = *state;
    struct told told;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 2, names);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (size_t kept = 0; kept <= 1; kept++) {
        struct rig_call *first = rig_start(rig, &rig_click, "", NULL);
        call(rig, "add", (struct tb_raw){.json = TB_STR("{}")}, &told);
        bring(rig, "a", 1, kept ? names : names + 1);
        size_t begun = rig->fake->counts.begun;
        assert_true(tb_fake_release(rig->fake, rig_find(rig, "a")->id));
        rig_turn(rig);
        rig_expect(first, 0);
        assert_int_equal(told.code, kept ? 0 : TB_E_UNKNOWN_TOOL);
        assert_string_equal(told.message,
                            kept ? "" : "the session no longer offers the tool 'add'");
        assert_int_equal(rig->fake->counts.begun - begun, kept);
        bring(rig, "a", 2, names);
    }
}

/* What a caller may run. */

static void put_any_name(const struct tb_entry *entry, void *user)
{
    const char *name = entry->face      ? entry->face->name
                       : entry->brought ? entry->brought->shown
                                        : entry->tool->name;
    tb_buf_printf(user, " %s ", name);
}

/* Has `name` between blanks. */
static bool is_listed(struct rig *rig, const struct tb_caller *caller, const char *name)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_free) char *wanted = tb_strdupf(" %s ", name);
    tb_toolbox_each(&rig->core, caller, rig_find(rig, "a"), put_any_name, &text);
    tb_buf_append_char(&text, '\0');
    return strstr((const char *)text.data, wanted) != NULL;
}

static void a_caller_is_shown_and_finds_what_its_scopes_allow(void **state)
{
    static const char *const names[] = {"add"};
    static const struct {
        const char *tool;
        unsigned scope;
    } rows[] = {
        {"browser_snapshot", TB_SCOPE_OBSERVE}, {"browser_wait", TB_SCOPE_OBSERVE},
        {"list_sessions", TB_SCOPE_OBSERVE},    {"browser_click", TB_SCOPE_ACT},
        {"browser_navigate", TB_SCOPE_ACT},     {"browser_evaluate", TB_SCOPE_ACT},
        {"execute_sequence", TB_SCOPE_ACT},     {"close_session", TB_SCOPE_ACT},
        {"browser_cookies", TB_SCOPE_ACT},      {"add", TB_SCOPE_ACT},
    };
    struct rig *rig = *state;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 1, names);
    for (unsigned scopes = 0; scopes <= TB_SCOPES_ALL; scopes++) {
        const struct tb_caller caller = {.who = principal_with(scopes), .conversation = ""};
        for (size_t i = 0; i < TB_COUNT(rows); i++) {
            bool may = scopes & rows[i].scope;
            struct tb_entry entry = {0};
            int rc = tb_toolbox_find(&rig->core, &caller, rig_find(rig, "a"),
                                     tb_str_of(rows[i].tool), &entry, NULL);
            assert_int_equal(rc, may ? 0 : TB_E_SCOPE);
            assert_non_null(entry.tool);
            assert_int_equal(is_listed(rig, &caller, rows[i].tool), may);
        }
    }
}

static void a_toolset_does_not_widen_what_its_caller_may_do(void **state)
{
    struct rig *rig = *state;
    struct tb_view *wdio = view_of(rig, "wdio", "");
    const struct tb_caller looks = {
        .who = principal_with(TB_SCOPE_OBSERVE), .conversation = "", .view = wdio};
    struct tb_entry entry;
    rig_create(rig, "a");
    for (const struct tb_face *face = wdio->toolset->faces; face->name; face++) {
        bool may = face->tool->flags & TB_TOOL_READ_ONLY;
        assert_int_equal(
            tb_toolbox_find(&rig->core, &looks, NULL, tb_str_of(face->name), &entry, NULL),
            may ? 0 : TB_E_SCOPE);
        assert_int_equal(is_listed(rig, &looks, face->name), may);
    }
    tb_view_unref(wdio, "test");
}

static void call_as(struct rig *rig, struct tb_principal *who, struct tb_call_request request,
                    struct told *told)
{
    *told = (struct told){.code = 1};
    request.caller.who = who;
    request.caller.conversation = "";
    request.done = on_called;
    request.user = told;
    tb_call_start(&rig->core, &request);
    rig_turn(rig);
}

static void who_lacks_a_scope_is_told_which_and_nothing_is_done(void **state)
{
    static const char *const names[] = {"add"};
    struct rig *rig = *state;
    struct tb_principal *looks = principal_with(TB_SCOPE_OBSERVE);
    struct told told;
    rig_create(rig, "a");
    rig_turn(rig);
    bring(rig, "a", 1, names);
    call_as(rig, looks, (struct tb_call_request){.name = TB_STR("browser_click")}, &told);
    assert_int_equal(told.code, TB_E_SCOPE);
    assert_string_equal(
        told.message,
        "the tool 'browser_click' needs the scope 'act', which this key does not have");
    call_as(rig, looks, (struct tb_call_request){.name = TB_STR("add")}, &told);
    assert_int_equal(told.code, TB_E_SCOPE);
    /* One that was found by other means is no way around it. */
    call_as(rig, looks, (struct tb_call_request){.entry.tool = &rig_click}, &told);
    assert_int_equal(told.code, TB_E_SCOPE);
    call_as(rig, looks, (struct tb_call_request){.name = TB_STR("browser_navigate")}, &told);
    assert_int_equal(told.code, TB_E_SCOPE);
    assert_int_equal(rig->fake->counts.begun, 0);
    /* That it was tried is on record. */
    assert_int_equal(rig_events(rig, "call_done {\"tool\":\"browser_click\",\"code\":"
                                     "\"missing_scope\""),
                     1);
    assert_int_equal(rig_events(rig, "call_done {\"tool\":\"add\",\"code\":"
                                     "\"missing_scope\""),
                     1);
    call_as(rig, looks, (struct tb_call_request){.name = TB_STR("browser_snapshot")}, &told);
    assert_int_equal(told.code, 0);
    assert_int_equal(rig->fake->counts.begun, 1);
    call_as(rig, principal_with(TB_SCOPE_ACT),
            (struct tb_call_request){.name = TB_STR("browser_snapshot")}, &told);
    assert_string_equal(
        told.message,
        "the tool 'browser_snapshot' needs the scope 'observe', which this key does not have");
}

/* Its clients read nothing but their own form. */
static void a_toolset_tells_of_a_missing_scope_in_its_own_form(void **state)
{
    struct rig *rig = *state;
    struct tb_view *octopus = view_of(rig, "octopus", "");
    struct told told;
    for (const struct tb_face *face = octopus->toolset->faces; face->name; face++) {
        call_as(rig, principal_with(0),
                (struct tb_call_request){.name = tb_str_of(face->name), .caller.view = octopus},
                &told);
        assert_int_equal(told.code, TB_E_SCOPE);
        assert_true(told.is_error);
        assert_non_null(strstr(told.text, "scope"));
    }
    tb_view_unref(octopus, "test");
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
#define STORED(test)   cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(there_is_one_view_for_each_choice),
        RIG_TEST(a_caller_finds_what_it_was_given),
        RIG_TEST(groups_of_the_configuration_are_always_there),
        RIG_TEST(what_does_not_exist_is_told_what_does),
        RIG_TEST(operations_lead_to_their_tool),
        RIG_TEST(a_tool_of_the_build_keeps_its_name),
        RIG_TEST(a_list_replaces_the_one_before_and_goes_with_its_session),
        STORED(tools_go_with_the_browser_of_their_page),
        RIG_TEST(whoever_hears_that_tools_go_may_end_sessions),
        RIG_TEST(what_a_page_brings_has_ceilings),
        RIG_TEST(what_agents_would_not_take_is_refused),
        RIG_TEST(all_that_a_page_brings_has_a_ceiling),
        RIG_TEST(bytes_go_to_the_page_and_come_back_as_they_are),
        RIG_TEST(a_call_outlives_the_list_that_its_tool_stood_in),
        RIG_TEST(a_tool_that_goes_before_its_turn_is_not_called),
        RIG_TEST(a_caller_is_shown_and_finds_what_its_scopes_allow),
        RIG_TEST(a_toolset_does_not_widen_what_its_caller_may_do),
        RIG_TEST(who_lacks_a_scope_is_told_which_and_nothing_is_done),
        RIG_TEST(a_toolset_tells_of_a_missing_scope_in_its_own_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
