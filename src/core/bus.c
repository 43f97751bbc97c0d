/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bus.h"

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"

void tb_bus_init(struct tb_bus *bus)
{
    tb_list_init(&bus->subscribers);
}

void tb_bus_subscribe(struct tb_bus *bus, struct tb_subscriber *subscriber)
{
    tb_list_append(&bus->subscribers, &subscriber->link);
}

void tb_bus_unsubscribe(struct tb_subscriber *subscriber)
{
    tb_list_remove(&subscriber->link);
}

bool tb_bus_heard(const struct tb_bus *bus)
{
    return !tb_list_empty(&bus->subscribers);
}

/* A mark of our own walks through the list, so that whatever a subscriber does to the list the
 * place stays known; a second one at the end leaves out whoever subscribes meanwhile. Marks have no
 * fn. */
void tb_bus_publish(struct tb_bus *bus, const struct tb_event *event)
{
    if (!tb_bus_heard(bus)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf json = TB_BUF(TB_EVENT_MAX);
    struct tb_event told = *event;
    told.json = &json;
    TB_AUTO(tb_free) struct tb_subscriber *marks = TB_NEW_ARRAY(struct tb_subscriber, 2);
    struct tb_list *place = &marks[0].link;
    struct tb_list *end = &marks[1].link;
    tb_list_append(bus->subscribers.next, place);
    tb_list_append(&bus->subscribers, end);
    while (place->next != end) {
        struct tb_list *next = place->next;
        tb_list_remove(place);
        tb_list_append(next->next, place);
        const struct tb_subscriber *subscriber = TB_CONTAINER(next, struct tb_subscriber, link);
        if (subscriber->fn) {
            subscriber->fn(&told, subscriber->user);
        }
    }
    tb_list_remove(place);
    tb_list_remove(end);
}
