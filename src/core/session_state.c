/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_state.h"

#include <assert.h>

#include "core/core.h"
#include "core/lifetime.h"
#include "core/members.h"
#include "core/session_internal.h"
#include "core/session_life.h"

#define TO(NAME) (1U << TB_STATE_##NAME)

/* All but one that has ended may end besides. */
static const unsigned moves[TB_STATE_COUNT] = {
    /* opened; lost before that was seen */
    [TB_STATE_OPENING] = TO(OPEN) | TO(CLOSING),
    /* the same; refused, and has a peer that may come again */
    [TB_STATE_WAKING] = TO(OPEN) | TO(CLOSING) | TO(ASLEEP) | TO(AWAY),
    /* a person takes over; too old, but a call runs; idle, gives way, the daemon stops; lost, but
     * it can be restored; its peer has gone */
    [TB_STATE_OPEN] = TO(HELD) | TO(RETIRING) | TO(SAVING) | TO(CLOSING) | TO(AWAY),
    /* handed back, or the holder is gone; the others as above */
    [TB_STATE_HELD] = TO(OPEN) | TO(SAVING) | TO(CLOSING) | TO(AWAY),
    /* the last call has ended */
    [TB_STATE_RETIRING] = 0,
    /* a call came, or it could not be saved; saved, lost, the daemon stops */
    [TB_STATE_SAVING] = TO(OPEN) | TO(CLOSING),
    /* the driver has closed it */
    [TB_STATE_CLOSING] = TO(ASLEEP),
    /* a call came, or a person */
    [TB_STATE_ASLEEP] = TO(WAKING),
    /* its peer is back; the same, and the driver has to open it anew */
    [TB_STATE_AWAY] = TO(OPEN) | TO(WAKING),
};

bool tb_state_allows(enum tb_session_state from, enum tb_session_state to)
{
    return from != TB_STATE_ENDED && (moves[from] | TO(ENDED)) >> to & 1;
}

void tb_session_move(struct tb_session *session, enum tb_session_state to)
{
    bool is_allowed = tb_state_allows(session->state, to);
    assert(is_allowed);
    if (is_allowed) {
        session->state = to;
    } else {
        tb_session_stray(session, to);
    }
}

void tb_session_stray(struct tb_session *session, enum tb_session_state to)
{
    if (session->end.astray) {
        return;
    }
    session->end.astray = true;
    tb_log_at(session->core->log, ERROR, "session", "forbidden move; the session ends",
              tb_kv_cstr("name", session->name), tb_kv_int("from", session->state),
              tb_kv_int("to", to));
    tb_session_look(session);
}

static bool opens(const struct tb_session *session)
{
    return session->state == TB_STATE_OPENING || session->state == TB_STATE_WAKING;
}

bool tb_session_is_new(const struct tb_session *session)
{
    return session->state == TB_STATE_OPENING || session->losses.unseen;
}

bool tb_session_just_opened(const struct tb_session *session)
{
    return opens(session) && session->side == TB_SIDE_OPEN;
}

bool tb_session_is_opening(const struct tb_session *session)
{
    return opens(session) && session->side != TB_SIDE_OPEN && !session->trouble;
}

bool tb_session_is_dormant(const struct tb_session *session)
{
    return session->state == TB_STATE_ASLEEP ||
           (session->state == TB_STATE_AWAY && session->side == TB_SIDE_NONE);
}

bool tb_session_is_quiet(const struct tb_session *session)
{
    return tb_session_at_rest(session) || session->state == TB_STATE_HELD;
}

/* Of a page: whether there is something to call, and somebody who might. */
static enum tb_shown_state shown_of_page(const struct tb_session *session)
{
    int64_t idle_ms = tb_lifetime_of(session).idle_ms;
    int64_t alone_ms = tb_loop_now_ms(session->core->loop) - session->members.none_since_ms;
    if (!tb_session_at_rest(session)) {
        return TB_SHOWN_ACTIVE;
    }
    if (session->state == TB_STATE_AWAY) {
        return TB_SHOWN_IDLE;
    }
    if (!session->brought.count) {
        return TB_SHOWN_CREATED;
    }
    return session->members.count || !idle_ms || alone_ms < idle_ms ? TB_SHOWN_ACTIVE
                                                                    : TB_SHOWN_IDLE;
}

static enum tb_shown_state shown(const struct tb_session *session)
{
    bool at_rest = tb_session_at_rest(session);
    if (session->state == TB_STATE_ENDED) {
        return tb_end_reason_expired(session->end.reason) ? TB_SHOWN_EXPIRED : TB_SHOWN_TERMINATED;
    }
    if (session->state == TB_STATE_OPENING && (at_rest || session->side != TB_SIDE_OPEN)) {
        return TB_SHOWN_CREATED;
    }
    if (tb_members_has(session)) {
        return shown_of_page(session);
    }
    bool is_active =
        !at_rest || session->state == TB_STATE_WAKING || session->state == TB_STATE_HELD;
    return is_active ? TB_SHOWN_ACTIVE : TB_SHOWN_IDLE;
}

struct tb_session_info tb_session_info(const struct tb_session *session)
{
    return (struct tb_session_info){
        .id = session->id,
        .name = session->name,
        .kind = session->kind,
        .state = shown(session),
        .opening = session->state == TB_STATE_OPENING || session->state == TB_STATE_WAKING,
        .hibernated = session->state == TB_STATE_ASLEEP,
        .retiring = session->state == TB_STATE_RETIRING,
        .away = session->state == TB_STATE_AWAY,
        .held = session->state == TB_STATE_HELD,
        .hidden = session->traits.hidden,
        .saved = session->saved,
        .expires_ms = tb_session_expires_wall_ms(session),
        .stats = session->stats,
    };
}
