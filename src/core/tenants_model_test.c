/* SPDX-License-Identifier: Apache-2.0 */
/* Two tenants that do their worst with each other's names and ids: none ever reaches, sees, ends or
 * counts what is the other's. `make soak` does more of it: TABARD_OPERATIONS says how many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

enum {
    OPERATIONS = 100000,
    TENANTS = 2,
    CONVERSATIONS = 3,
    NAMES = 6,
    SESSIONS_MAX = 8,
    QUIET = 16, /* the loop runs after so many operations */
};

static const char *const tenants[TENANTS] = {"t", "u"};
static const char *const conversations[CONVERSATIONS] = {"", "c1", "c2"};
static const char *const names[NAMES] = {"a", "b", "c", "browser-1", "browser-2", "default"};

struct play {
    struct rig *rig;
    uint32_t random;
    char seen[TENANTS][TB_ID_SIZE]; /* an id of each, perhaps of a session that has ended */
    size_t reached;
    size_t refused;
};

static unsigned pick(struct play *play, unsigned below)
{
    play->random = play->random * 1664525U + 1013904223U;
    return (play->random >> 8) % below;
}

/* A name that both use, an id of its own, or one of the other's. */
static const char *word(struct play *play)
{
    unsigned which = pick(play, NAMES + TENANTS);
    return which < NAMES ? names[which] : play->seen[which - NAMES];
}

static size_t count_of(const struct play *play, unsigned tenant)
{
    const struct tb_tenant *found = tb_tenant_find(play->rig->core.sessions, tenants[tenant]);
    return found ? found->count : 0;
}

static void reach(struct play *play, unsigned tenant, const struct tb_caller *caller)
{
    const char *named = word(play);
    const struct tb_session *session =
        tb_sessions_reach(play->rig->core.sessions, caller, tb_str_of(named));
    if (session) {
        assert_string_equal(session->tenant, tenants[tenant]);
        play->reached++;
    }
}

/* What is the other's is refused in the words for what is nobody's. */
static void refuse_the_others(struct play *play, unsigned tenant, const struct tb_caller *caller)
{
    struct tb_sessions *sessions = play->rig->core.sessions;
    const char *theirs = play->seen[!tenant];
    char nobodys[TB_ID_SIZE];
    struct tb_err one = {0};
    struct tb_err other = {0};
    struct tb_place place;
    tb_id_make(play->rig->core.secret, nobodys);
    struct tb_resolve_ask ask = {.caller = caller, .named = tb_str_of(theirs)};
    if (!theirs[0]) {
        return;
    }
    assert_true(tb_resolve(sessions, &ask, &place, &one) < 0);
    ask.named = tb_str_of(nobodys);
    assert_true(tb_resolve(sessions, &ask, &place, &other) < 0);
    assert_int_equal(one.code, other.code);
    char *shown = strstr(one.text, theirs);
    for (size_t i = 0; shown && nobodys[i]; i++) { /* both are as long */
        shown[i] = nobodys[i];
    }
    assert_string_equal(one.text, other.text);
    play->refused++;
}

static void create(struct play *play, unsigned tenant, const struct tb_caller *caller)
{
    struct rig *rig = play->rig;
    const struct tb_session_spec spec = {.name = pick(play, 3) ? tb_str_of(names[pick(play, NAMES)])
                                                               : TB_STR(""),
                                         .for_conversation = pick(play, 2),
                                         .hidden = caller->conversation[0] && pick(play, 4) == 0,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    if (count_of(play, tenant) < SESSIONS_MAX &&
        tb_sessions_create(rig->core.sessions, caller, &spec, &session, &warning, &err) == 0) {
        snprintf(play->seen[tenant], TB_ID_SIZE, "%s", session->id);
    }
}

/* It lists as many as the tenant has, and none of the other's names or ids tell. */
static void list(struct play *play, unsigned tenant, struct tb_caller *caller)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    size_t listed = 0;
    caller->everyone = true;
    tb_json_writer_init(&json, &text);
    tb_sessions_list(play->rig->core.sessions, caller, &json);
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(tb_buf_str(&text));
    JSON_ARRAY_FOREACH(item, tb_json_get(tree, "sessions")) {
        listed++;
    }
    assert_int_equal(listed, count_of(play, tenant));
    if (play->seen[!tenant][0]) {
        assert_null(memmem(text.data, text.len, play->seen[!tenant], TB_ID_SIZE - 1));
    }
}

static void end_some(struct play *play, unsigned tenant, const struct tb_caller *caller)
{
    struct tb_sessions *sessions = play->rig->core.sessions;
    struct tb_session *session;
    switch (pick(play, 8)) {
    case 0:
        tb_sessions_stop_all(sessions, tenants[tenant], NULL);
        break;
    case 1:
        tb_sessions_close_all(sessions, caller, pick(play, 2), false, NULL);
        break;
    case 2:
        tb_sessions_end_conversation(sessions, caller, TB_END_CONVERSATION_ENDED, NULL);
        break;
    default:
        session = tb_sessions_reach(sessions, caller, tb_str_of(word(play)));
        if (session) {
            tb_session_close(session, caller, NULL);
        }
    }
}

static void choose(struct play *play, unsigned tenant, const struct tb_caller *caller)
{
    struct tb_err err;
    if (tb_sessions_set_current(play->rig->core.sessions, caller, tb_str_of(word(play)), NULL,
                                &err) == 0) {
        const struct tb_session *meant = tb_resolve_meant(play->rig->core.sessions, caller);
        assert_true(!meant || strcmp(meant->tenant, tenants[tenant]) == 0);
    }
}

static void play_once(struct play *play)
{
    unsigned tenant = pick(play, TENANTS);
    struct tb_caller caller = {.who = principal_of(tenants[tenant]),
                               .conversation = conversations[pick(play, CONVERSATIONS)],
                               .everyone = pick(play, 4) == 0};
    size_t others = count_of(play, !tenant);
    switch (pick(play, 12)) {
    case 0:
    case 1:
    case 2:
        create(play, tenant, &caller);
        break;
    case 3:
        end_some(play, tenant, &caller);
        break;
    case 4:
    case 5:
        choose(play, tenant, &caller);
        break;
    case 6:
        list(play, tenant, &caller);
        break;
    case 7:
    case 8:
        refuse_the_others(play, tenant, &caller);
        break;
    default:
        reach(play, tenant, &caller);
    }
    assert_int_equal(count_of(play, !tenant), others);
}

/* TEN-2 */
static void two_tenants_never_meet_whatever_they_do(void **state)
{
    struct play play = {.rig = *state, .random = 7};
    const char *asked = getenv("TABARD_OPERATIONS");
    uint64_t operations = OPERATIONS;
    if (asked) {
        assert_true(tb_str_to_u64(tb_str_of(asked), &operations));
    }
    play.rig->config.sessions_total = 1000;
    for (uint64_t i = 0; i < operations; i++) {
        play_once(&play);
        if (i % QUIET == 0) {
            rig_turns(play.rig, 4);
            tb_buf_clear(&play.rig->events);
        }
    }
    assert_true(play.reached > operations / 100 && play.refused > operations / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_tenants_never_meet_whatever_they_do, rig_setup,
                                        rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
