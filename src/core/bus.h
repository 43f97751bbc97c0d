/* SPDX-License-Identifier: Apache-2.0 */
/* The event bus. Events carry ids and JSON, never pointers. Delivery is at once, in order of
 * subscription; subscribing, unsubscribing and publishing during delivery is safe, and who
 * subscribes meanwhile does not get the event under way. A new event is a row of core/events.def.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"
#include "base/str.h"
#include "core/gate.h"

enum tb_event_type {
#define TB_EVENT(NAME, wire, when) TB_EVENT_##NAME,
#include "core/events.def"
#undef TB_EVENT
    TB_EVENT_COUNT,
};

struct tb_event {
    enum tb_event_type type;
    const char *tenant;
    const char *session_id; /* may be empty */
    struct tb_str json;     /* an object with the details */
    struct tb_gate *gate;   /* of a reply that waits until the event is on record; may be NULL */
};

struct tb_bus {
    struct tb_list subscribers;
};

struct tb_subscriber {
    struct tb_list link;
    void (*fn)(const struct tb_event *event, void *user);
    void *user;
};

void tb_bus_init(struct tb_bus *bus);
void tb_bus_subscribe(struct tb_bus *bus, struct tb_subscriber *subscriber);
void tb_bus_unsubscribe(struct tb_subscriber *subscriber);
/* False when nobody listens: then an event need not be put together. */
bool tb_bus_heard(const struct tb_bus *bus);
void tb_bus_publish(struct tb_bus *bus, const struct tb_event *event);
/* The same with the details as a tree. */
void tb_bus_publish_json(struct tb_bus *bus, enum tb_event_type type, const char *tenant,
                         const char *session_id, const struct cJSON *details, struct tb_gate *gate);
const char *tb_event_name(enum tb_event_type type);
/* Adds the bit of each event in a list (wire names between commas) to *mask. TB_E_PARAMS names the
 * one that there is not. */
int tb_event_mask(struct tb_str list, uint64_t *mask, struct tb_err *err);
