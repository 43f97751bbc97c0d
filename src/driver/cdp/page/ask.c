/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/ask.h"

void tb_cdp_ask_begin(struct tb_cdp_ask *ask, struct tb_list *place, struct tb_list *asks)
{
    tb_list_init(&ask->asked);
    tb_list_append(place, &ask->place);
    if (asks) {
        tb_list_append(asks, &ask->asked);
    }
}

void tb_cdp_ask_end(struct tb_cdp_ask *ask)
{
    tb_list_remove(&ask->place);
    tb_list_remove(&ask->asked);
}

static struct tb_cdp_ask *find(const struct tb_list *asks, const void *user)
{
    LIST_FOREACH(link, asks) {
        struct tb_cdp_ask *ask = TB_CONTAINER(link, struct tb_cdp_ask, asked);
        if (ask->user == user) {
            return ask;
        }
    }
    return NULL;
}

void tb_cdp_asks_forget(struct tb_list *asks, const void *user)
{
    struct tb_cdp_ask *ask;
    /* One ask may hold another, so the search begins anew each time. */
    while ((ask = find(asks, user))) {
        ask->forget(ask);
    }
}
