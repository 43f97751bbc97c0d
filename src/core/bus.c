/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bus.h"

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"

static const char *const names[TB_EVENT_COUNT] = {
#define TB_EVENT(NAME, wire, when) wire,
#include "core/events.def"
#undef TB_EVENT
};

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
            subscriber->fn(event, subscriber->user);
        }
    }
    tb_list_remove(place);
    tb_list_remove(end);
}

void tb_bus_publish_json(struct tb_bus *bus, enum tb_event_type type, const char *tenant,
                         const char *session_id, const struct cJSON *details, struct tb_gate *gate)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_EVENT_MAX);
    if (tb_json_print(details, &text) == 0) {
        tb_bus_publish(bus, &(struct tb_event){type, tenant, session_id, tb_buf_str(&text), gate});
    }
}

_Static_assert(TB_EVENT_COUNT <= 64, "a mask of events has 64 bits");

const char *tb_event_name(enum tb_event_type type)
{
    return names[type];
}

static bool find(struct tb_str name, uint64_t *mask)
{
    for (unsigned type = 0; type < TB_EVENT_COUNT; type++) {
        if (tb_str_eq_cstr(name, names[type])) {
            *mask |= UINT64_C(1) << type;
            return true;
        }
    }
    return false;
}

static int unknown(struct tb_str name, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(TB_KIB);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        tb_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    return tb_fail(err, TB_E_PARAMS, "unknown event '%.*s'; there are %.*s",
                   (int)(name.len < 40 ? name.len : 40), name.ptr, TB_STR_ARG(tb_buf_str(&list)));
}

int tb_event_mask(struct tb_str list, uint64_t *mask, struct tb_err *err)
{
    while (list.ptr) {
        struct tb_str name = tb_str_trim(tb_str_cut(&list, ','));
        if (name.len && !find(name, mask)) {
            return unknown(name, err);
        }
    }
    return 0;
}
