/* SPDX-License-Identifier: Apache-2.0 */
/* What one is shown who looks into a session. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/channel.h"
#include "core/members.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    TEXT_MAX = 4096,
};

static const struct tb_channel_events deaf = {0};

struct scene {
    struct rig *rig;
    struct tb_channel *page;
    struct tb_session *session;
    char text[TEXT_MAX];
};

static void begin(struct scene *scene, struct rig *rig)
{
    *scene = (struct scene){.rig = rig, .page = tb_channel_new(rig->core.loop, &deaf, NULL)};
    const struct tb_session_spec spec = {.kind = TB_KIND_CLIENT,
                                         .name = TB_STR("page"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .channel = scene->page};
    const char *warning;
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = &principal_t, .conversation = "owner"}, &spec,
                       &scene->session, &warning, NULL);
    rig_turn(rig);
}

static void finish(struct scene *scene)
{
    tb_channel_close(scene->page, TB_CHANNEL_PEER);
}

static void offer(struct scene *scene, const char *name, const char *json)
{
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    assert_int_equal(tb_brought_new(name, "", name, tb_str_of(json), tools, NULL), 0);
    assert_true(tb_fake_bring_take(scene->rig->fake, scene->session->id, tools, 1));
}

static const char *dump_as(struct scene *scene, const struct tb_caller *caller, const char *named)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TEXT_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &out);
    tb_session_dump(scene->session, caller, tb_str_of(named), &json);
    assert_int_equal(json.rc, 0);
    snprintf(scene->text, sizeof(scene->text), "%.*s", TB_STR_ARG(tb_buf_str(&out)));
    return scene->text;
}

static const char *dump(struct scene *scene)
{
    return dump_as(scene, &(struct tb_caller){.who = &principal_t, .conversation = "owner"}, "");
}

static void expect(struct scene *scene, const char *part)
{
    if (!strstr(dump(scene), part)) {
        fail_msg("no %s in %s", part, scene->text);
    }
}

/* S4-04, S4-51 */
static void it_has_the_members_that_btcp_gives_it(void **state)
{
    static const char *const keys[] = {"id",    "name",    "type",  "state",        "createdAt",
                                       "owner", "members", "tools", "capabilities", "stats"};
    struct scene scene;
    begin(&scene, *state);
    TB_AUTO(tb_json_free) struct cJSON *all = tb_json_parse(tb_str_of(dump(&scene)));
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        assert_non_null(tb_json_get(all, keys[i]));
    }
    expect(&scene, "\"expiresAt\":\"");
    expect(&scene, "\"state\":\"created\"");
    expect(&scene, "\"members\":[],\"tools\":[],\"capabilities\":{");
    expect(&scene, "\"stats\":{\"toolCalls\":0,\"errors\":0,\"lastActivity\":\"");
    finish(&scene);
}

/* S4-10, S4-52 */
static void it_tells_of_the_page_its_agents_and_its_tools(void **state)
{
    struct scene scene;
    struct rig *rig = *state;
    begin(&scene, rig);
    expect(&scene, "\"owner\":{\"type\":\"client\",\"connectionId\":\"client-");
    expect(&scene, "\",\"connectedAt\":\"");
    tb_session_introduce(scene.session, TB_STR("BTCPClient/1.0"));
    expect(&scene, "\"userAgent\":\"BTCPClient/1.0\"}");
    tb_session_introduce(scene.session, TB_STR(""));
    assert_null(strstr(dump(&scene), "userAgent"));
    offer(&scene, "getPageContent",
          "{\"name\":\"getPageContent\",\"manifestName\":\"page-tools\",\"capabilities\":[ "
          "\"dom:read\", 7,\"\\ud800 \\u0041\\u0000b\"],\"description\":\"secret\"}");
    expect(&scene, "\"tools\":[{\"name\":\"getPageContent\",\"capabilities\":[\"dom:read\","
                   "\"\xef\xbf\xbd A\"],\"manifestName\":\"page-tools\"}]");
    assert_null(strstr(dump(&scene), "secret"));
    offer(&scene, "browser_click", "{\"capabilities\":7,\"manifestName\":[]}");
    expect(&scene, "\"tools\":[{\"name\":\"browser_click\",\"shownAs\":\"page_browser_click\","
                   "\"capabilities\":[]}]");
    rig->agent = "claude-agent";
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"page\"}"), 0);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"page\",\"x\":1}"),
                     TB_E_PARAMS);
    expect(&scene, "\"members\":[{\"type\":\"agent\",\"connectionId\":\"agent-");
    expect(&scene, "\",\"name\":\"claude-agent\",\"connectedAt\":\"");
    expect(&scene, "\"toolCalls\":1,\"errors\":0,");
    finish(&scene);
}

static bool shows_id(struct scene *scene, const struct tb_caller *caller, const char *named)
{
    return strstr(dump_as(scene, caller, named), scene->session->id) != NULL;
}

/* S4-44: with it one can take the page's place. */
static void its_id_is_for_who_might_have_it(void **state)
{
    struct scene scene;
    snprintf(principal_t.key, sizeof(principal_t.key), "same");
    begin(&scene, *state);
    struct tb_principal stranger = {.refs = 1, .tenant = "t", .key = "stranger"};
    const struct tb_caller theirs = {.who = &stranger, .conversation = "x"};
    const struct tb_caller same = {.who = &principal_t, .conversation = "y"};
    const struct tb_caller admin = {.who = &stranger, .conversation = "", .everyone = true};
    assert_false(shows_id(&scene, &theirs, "page"));
    assert_non_null(strstr(scene.text, "{\"id\":\"page\",\"name\":\"page\""));
    assert_true(shows_id(&scene, &theirs, scene.session->id));
    assert_true(shows_id(&scene, &same, "page"));
    assert_true(shows_id(&scene, &admin, "page"));
    finish(&scene);
}

static void sessions_of_other_kinds_have_one_too(void **state)
{
    struct scene scene = {.rig = *state};
    scene.session = rig_create(*state, "a");
    rig_turn(*state);
    expect(&scene, "\"type\":\"browser\",\"state\":\"idle\",");
    expect(&scene, "\"owner\":{\"type\":\"agent\",\"connectionId\":\"agent-");
    expect(&scene, "\"members\":[],\"tools\":[],\"capabilities\":{\"browserName\"");
    assert_null(strstr(scene.text, "connectedAt"));
}

static void to_look_changes_nothing(void **state)
{
    struct scene scene;
    begin(&scene, *state);
    int64_t active_ms = scene.session->times.last_active_ms;
    size_t events = scene.rig->events.len;
    rig_advance(scene.rig, 1000);
    dump(&scene);
    assert_int_equal(scene.session->times.last_active_ms, active_ms);
    assert_int_equal(scene.rig->events.len, events);
    finish(&scene);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(it_has_the_members_that_btcp_gives_it),
        RIG_TEST(it_tells_of_the_page_its_agents_and_its_tools),
        RIG_TEST(its_id_is_for_who_might_have_it),
        RIG_TEST(sessions_of_other_kinds_have_one_too),
        RIG_TEST(to_look_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
