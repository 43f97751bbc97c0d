/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a session's record: nothing waits for it any more. */
#include "base/mem.h"
#include "core/authors.h"
#include "core/call_internal.h"
#include "core/mask.h"
#include "core/members.h"
#include "core/session_hibernate.h"
#include "core/session_hold.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"
#include "core/watch.h"

void tb_session_record_free(struct tb_session *session)
{
    LIST_FOREACH_SAFE(link, &session->queue.ops) {
        TB_CONTAINER(link, struct tb_op_call, link)->session = NULL;
        tb_list_remove(link);
    }
    tb_session_end_hold(session, NULL);
    tb_deferred_cancel(&session->job);
    tb_timer_fini(&session->times.timer);
    tb_members_clear(session);
    tb_conversation_disown(session);
    tb_list_remove(&session->places.awake);
    tb_list_remove(&session->places.link);
    tb_saving_free(session->saving);
    tb_watch_free(session->watch);
    tb_session_policy_fini(session);
    tb_mask_unref(session->bounds.mask, "session");
    tb_free(session->trouble);
    tb_free(session->url);
    tb_free(session->places.peer_agent);
    tb_free(session->args);
    tb_free(session->losses.note);
    tb_free(session->losses.handed_back);
    tb_free(session->end.replaces);
    tb_free(session->end.replaces_note);
    tb_free(session->end.fallback);
    tb_authors_fini(&session->losses.authors);
    tb_brought_list_clear(&session->brought);
    tb_free(session->losses.loss);
    tb_free(session);
}
