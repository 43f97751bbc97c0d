/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/ask.h"

#include "driver/cdp/browser/session_internal.h"

void tb_cdp_ask_begin(struct tb_cdp_ask *ask, struct tb_list *place,
                      struct tb_driver_session *session)
{
    tb_list_init(&ask->asked);
    tb_list_append(place, &ask->place);
    if (session) {
        tb_list_append(&session->asks, &ask->asked);
    }
}

void tb_cdp_ask_end(struct tb_cdp_ask *ask)
{
    tb_list_remove(&ask->place);
    tb_list_remove(&ask->asked);
}

static struct tb_cdp_ask *find(const struct tb_driver_session *session, const void *user)
{
    LIST_FOREACH(link, &session->asks) {
        struct tb_cdp_ask *ask = TB_CONTAINER(link, struct tb_cdp_ask, asked);
        if (ask->user == user) {
            return ask;
        }
    }
    return NULL;
}

void tb_cdp_session_forget(struct tb_driver_session *session, const void *user)
{
    struct tb_cdp_ask *ask;
    /* One ask may hold another, so the search begins anew each time. */
    while ((ask = find(session, user))) {
        ask->forget(ask);
    }
}
