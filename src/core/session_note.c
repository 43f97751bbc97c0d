/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_note.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/authors.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/ends.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/records.h"
#include "core/sessions_internal.h"

/* Not if nobody reads the reply, or if it has no place for a note. */
static bool takes_note(const struct tb_call *call)
{
    return call->broken.code != TB_E_CANCELLED && call->result.code != TB_E_UNKNOWN_TOOL &&
           !call->from.caller.noteless;
}

/* Others may have called first, and have had the note. */
static void tell_author(struct tb_session *session, struct tb_call *call)
{
    if (!tb_authors_tell(&session->losses.authors, call->from.conversation, session->stats.calls)) {
        return;
    }
    tb_record_put(session, NULL);
    if (!tb_json_get(call->result.data, "note")) {
        TB_AUTO(tb_free)
        char *note = tb_strdupf("Session '%s' has a new browser. What was typed before that is "
                                "lost.",
                                session->name);
        tb_json_set_cstr(call->result.data, "note", note);
    }
}

/* Others may use the session, but what its owner had before is no business of theirs. */
static void tell_replaced(struct tb_session *session, struct tb_call *call, const char *more)
{
    if (!session->end.replaces || strcmp(tb_session_owner(session), call->from.conversation) != 0) {
        return;
    }
    TB_AUTO(tb_free)
    char *note =
        tb_strdupf("%s%s%s", session->end.replaces_note, more ? " " : "", more ? more : "");
    tb_json_set_cstr(call->result.data, "note", note);
    tb_end_told(session->places.home, session->end.replaces, call->from.conversation);
    tb_free(session->end.replaces);
    tb_free(session->end.replaces_note);
    session->end.replaces = NULL;
    session->end.replaces_note = NULL;
}

/* Behind whatever else there is to say. */
static void add_note(struct tb_call *call, struct tb_str words)
{
    struct tb_str before = TB_STR("");
    tb_json_str(tb_json_get(call->result.data, "note"), &before);
    TB_AUTO(tb_free)
    char *note =
        tb_strdupf("%.*s%s%.*s", TB_STR_ARG(before), before.len ? " " : "", TB_STR_ARG(words));
    tb_json_set_cstr(call->result.data, "note", note);
}

static void tell_handed_back(struct tb_session *session, struct tb_call *call)
{
    TB_AUTO(tb_free) char *words = session->losses.handed_back;
    session->losses.handed_back = NULL;
    if (words) {
        add_note(call, tb_str_of(words));
    }
}

/* A page chooses the names of hosts, and may write into them what was typed. */
static void tell_refused(struct tb_session *session, struct tb_call *call)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(TB_ANSWER_BESIDE);
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(TB_ANSWER_BESIDE);
    tb_egress_say_refused(session->bounds.egress, &words);
    if (words.len) {
        bool is_masked = tb_mask_text(session->bounds.mask, tb_buf_str(&words), &masked);
        add_note(call, tb_buf_str(is_masked ? &masked : &words));
    }
}

static void tell_losses(struct tb_session *session, struct tb_call *call)
{
    struct tb_session_losses *losses = &session->losses;
    bool was_misled = tb_authors_enlighten(&losses->authors, call->from.conversation);
    const char *note = losses->is_news || was_misled ? losses->note : NULL;
    if (note) {
        tb_json_set_cstr(call->result.data, "note", note);
    }
    if (note && losses->is_news) {
        /* Those that wait were sent before this reply. */
        losses->unaware = losses->unaware ? session->stats.calls : 0;
        losses->is_news = false;
    }
    tell_replaced(session, call, note);
    tell_author(session, call);
    if (session->driver->save) { /* what cannot come back does not come back as another */
        tb_authors_called(&losses->authors, call->from.conversation);
    }
    if (!tb_authors_any_misled(&losses->authors)) {
        tb_free(losses->note);
        losses->note = NULL;
    }
}

void tb_session_note(struct tb_session *session, struct tb_call *call)
{
    if (takes_note(call)) {
        tell_losses(session, call);
        tell_handed_back(session, call);
        tell_refused(session, call);
    }
}
