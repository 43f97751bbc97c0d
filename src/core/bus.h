/* SPDX-License-Identifier: Apache-2.0 */
/* The event bus. Delivery is at once, in order of subscription; subscribing, unsubscribing and
 * publishing during delivery is safe, and who subscribes meanwhile does not get the event under
 * way.
 */
#pragma once

#include <stdbool.h>

#include "base/list.h"
#include "core/event.h"

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
