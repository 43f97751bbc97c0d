/* SPDX-License-Identifier: Apache-2.0 */
#include "support/deaf.h"

static void on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail)
{
    (void)owner;
    (void)reason;
    (void)loss;
    (void)detail;
}

static void on_event(void *owner, const struct tb_event *event)
{
    (void)owner;
    (void)event;
}

const struct tb_driver_events deaf_events = {.on_lost = on_lost, .on_event = on_event};
