/* SPDX-License-Identifier: Apache-2.0 */
/* The front for events: /api/events and the webhooks of the configuration. What is sent is in
 * docs/EVENTS.md. */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_events;
