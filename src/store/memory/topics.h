/* SPDX-License-Identifier: Apache-2.0 */
/* Topics between the cores that share a memory. A message waits at each core that has a
 * subscription to its topic, and is handed out from the loop of that core. */
#pragma once

#include "base/list.h"
#include "core/store.h"
#include "io/loop.h"

struct tb_topics {
    struct tb_list ends;
    uint64_t sent; /* messages so far */
};

/* Of one core. */
struct tb_topics_end {
    struct tb_list link;
    struct tb_topics *topics;
    struct tb_loop *loop;
    struct tb_list subscriptions;
    struct tb_list *next; /* subscription, while a message is handed out */
    struct tb_list messages;
    struct tb_deferred job;
};

void tb_topics_init(struct tb_topics *topics);
void tb_topics_join(struct tb_topics *topics, struct tb_topics_end *end, struct tb_loop *loop);
/* Messages and subscriptions that are left go without a word. */
void tb_topics_leave(struct tb_topics_end *end);

/* As in struct tb_store_kind. */
int tb_topics_publish(struct tb_topics *topics, struct tb_str topic, struct tb_str bytes,
                      struct tb_err *err);
struct tb_store_subscription *tb_topics_subscribe(struct tb_topics_end *end, struct tb_str topic,
                                                  tb_store_message_fn *fn, void *user,
                                                  struct tb_err *err);
void tb_topics_unsubscribe(struct tb_store_subscription *subscription);
