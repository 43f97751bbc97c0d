/* SPDX-License-Identifier: Apache-2.0 */
#include "core/lifetime.h"

#include <stddef.h>

#include "core/core.h"
#include "core/session_hibernate.h"
#include "core/sessions_internal.h"

/* Where a number stands in the settings; 0 is no such place. */
#define AT(field)        offsetof(struct tb_config, sessions_##field)
#define AT_CLIENT(field) offsetof(struct tb_config, client_##field)

static const struct row {
    enum tb_at_idle at_idle;
    size_t idle;
    size_t max_age;
    size_t ttl;
    size_t ttl_max;
    size_t away;
    size_t members;
} conversation =
    {TB_IDLE_HIBERNATE, AT(conversation_idle_ms), AT(conversation_max_age_ms), 0, 0, 0, 0},
  brief = {TB_IDLE_CLOSE, AT(octopus_idle_ms), AT(octopus_max_age_ms), 0, 0, 0, 0},
  named[TB_KIND_COUNT] = {
      [TB_KIND_BROWSER] = {TB_IDLE_HIBERNATE, AT(named_idle_ms), AT(named_max_age_ms), 0, 0, 0, 0},
      [TB_KIND_IOS] = {TB_IDLE_CLOSE, AT(named_idle_ms), AT(named_max_age_ms), 0, 0, 0, 0},
      [TB_KIND_ANDROID] = {TB_IDLE_CLOSE, AT(named_idle_ms), AT(named_max_age_ms), 0, 0, 0, 0},
      [TB_KIND_TAB] = {TB_IDLE_CLOSE, 0, 0, 0, 0, AT(tab_away_ms), 0},
      [TB_KIND_CLIENT] = {TB_IDLE_REST, AT(client_idle_ms), 0, AT(client_ttl_ms),
                          AT(client_ttl_max_ms), AT(client_away_ms), AT_CLIENT(agents)},
};

static int64_t setting(const struct tb_config *config, size_t at)
{
    return at ? *(const int64_t *)(const void *)((const char *)config + at) : 0;
}

static const struct row *row_of(const struct tb_session *session)
{
    if (!session->traits.of_conversation || session->kind != TB_KIND_BROWSER) {
        return &named[session->kind];
    }
    return session->traits.brief ? &brief : &conversation;
}

struct tb_lifetime tb_lifetime_of(const struct tb_session *session)
{
    const struct tb_config *config = session->core->config;
    const struct row *row = row_of(session);
    bool closes = row->at_idle == TB_IDLE_HIBERNATE && !tb_session_can_hibernate(session);
    return (struct tb_lifetime){
        .at_idle = closes ? TB_IDLE_CLOSE : row->at_idle,
        .idle_ms = setting(config, row->idle),
        .max_age_ms = setting(config, row->max_age),
        .ttl_ms = setting(config, row->ttl),
        .ttl_max_ms = setting(config, row->ttl_max),
        .away_ms = setting(config, row->away),
        .members_max = setting(config, row->members),
    };
}
