/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: the REST routes behind the real router, with the fake driver. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/sessions.h"

#include "support/mcp_rig.h"
#include "support/principals.h"

struct rest_rig {
    struct mcp_rig rig;
    struct mcp_client client;
    /* Stands for whoever stores what the bus tells. */
    struct tb_subscriber keeper;
    struct tb_hold hold;
    bool slow;
    size_t cleared; /* how often the audit log was said to be */
};

static inline void rest_rig_on_event(const struct tb_event *event, void *user)
{
    struct rest_rig *f = user;
    f->cleared += event->type == TB_EVENT_AUDIT_CLEARED;
    if (f->slow && event->type == TB_EVENT_SESSION_ENDED) {
        tb_gate_hold(event->gate, &f->hold);
    }
}

static inline int rest_rig_setup(void **state)
{
    struct rest_rig *f = TB_NEW(struct rest_rig);
    mcp_rig_init(&f->rig);
    mcp_rig_serve(&f->rig);
    f->keeper = (struct tb_subscriber){.fn = rest_rig_on_event, .user = f};
    tb_bus_subscribe(&f->rig.core.bus, &f->keeper);
    mcp_client_open(&f->rig, &f->client);
    *state = f;
    return 0;
}

static inline int rest_rig_teardown(void **state)
{
    struct rest_rig *f = *state;
    mcp_client_close(&f->client);
    tb_bus_unsubscribe(&f->keeper);
    mcp_rig_fini(&f->rig);
    tb_free(f);
    return 0;
}

/* A session of that name, or of that conversation. */
static inline struct tb_session *rest_rig_make(struct rest_rig *f, const char *name,
                                               const char *conversation)
{
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
    const struct tb_caller caller = {.who = principal_of("default"), .conversation = conversation};
    const struct tb_session_spec spec = {.name = tb_str_of(name),
                                         .for_conversation = conversation[0] != '\0',
                                         .driver = &tb_driver_fake,
                                         .driver_state = f->rig.fake,
                                         .deadline_ms = INT64_MAX};
    assert_int_equal(
        tb_sessions_create(f->rig.core.sessions, &caller, &spec, &session, &warning, &err), 0);
    mcp_rig_turn(&f->rig);
    return session;
}

static inline const char *rest_rig_ask(struct rest_rig *f, const char *line, const char *body)
{
    return mcp_client_ask(&f->rig, &f->client, line, "", body);
}

static inline void rest_rig_expect(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) {
        fail_msg("no '%s' in: %s", part, text);
    }
}

static inline size_t rest_rig_left(const struct rest_rig *f)
{
    return tb_sessions_count(f->rig.core.sessions);
}
