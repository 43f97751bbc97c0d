/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/topics.h"

#include "base/mem.h"
#include "core/limits.h"

struct tb_store_subscription {
    struct tb_list link;
    struct tb_topics_end *end;
    char *topic;
    size_t topic_len;
    uint64_t since; /* messages that were sent before it began */
    tb_store_message_fn *fn;
    void *user;
};

struct message {
    struct tb_list link;
    struct tb_str topic;
    struct tb_str bytes;
    uint64_t number;
};

static void free_message(struct message *message)
{
    tb_free((char *)(uintptr_t)message->topic.ptr);
    tb_free((char *)(uintptr_t)message->bytes.ptr);
    tb_free(message);
}

static struct tb_store_subscription *of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_store_subscription, link);
}

static bool is_for(const struct tb_store_subscription *subscription, struct tb_str topic)
{
    return tb_str_eq(topic, (struct tb_str){subscription->topic, subscription->topic_len});
}

/* Whoever hears of it may unsubscribe anybody, which moves `next` on. Who subscribes meanwhile
 * comes after the message. */
static void hand_out(struct tb_topics_end *end, const struct message *message)
{
    end->next = end->subscriptions.next;
    while (end->next != &end->subscriptions) {
        const struct tb_store_subscription *subscription = of(end->next);
        end->next = end->next->next;
        if (subscription->since < message->number && is_for(subscription, message->topic)) {
            subscription->fn(message->topic, message->bytes, subscription->user);
        }
    }
}

/* Those that are there: what is published meanwhile has another turn. */
static void on_job(struct tb_deferred *job)
{
    struct tb_topics_end *end = TB_CONTAINER(job, struct tb_topics_end, job);
    struct tb_list messages;
    struct tb_list *link;
    tb_list_init(&messages);
    tb_list_splice(&messages, &end->messages);
    while ((link = tb_list_pop(&messages))) {
        struct message *message = TB_CONTAINER(link, struct message, link);
        hand_out(end, message);
        free_message(message);
    }
}

void tb_topics_init(struct tb_topics *topics)
{
    *topics = (struct tb_topics){0};
    tb_list_init(&topics->ends);
}

void tb_topics_join(struct tb_topics *topics, struct tb_topics_end *end, struct tb_loop *loop)
{
    *end = (struct tb_topics_end){.topics = topics, .loop = loop, .job.run = on_job};
    tb_list_init(&end->subscriptions);
    tb_list_init(&end->messages);
    tb_list_append(&topics->ends, &end->link);
}

void tb_topics_leave(struct tb_topics_end *end)
{
    struct tb_list *link;
    tb_deferred_cancel(&end->job);
    tb_list_remove(&end->link);
    while ((link = tb_list_pop(&end->messages))) {
        free_message(TB_CONTAINER(link, struct message, link));
    }
    while (!tb_list_empty(&end->subscriptions)) {
        tb_topics_unsubscribe(of(end->subscriptions.next));
    }
}

static int check_topic(struct tb_str topic, struct tb_err *err)
{
    if (topic.len <= TB_TOPIC_MAX) {
        return 0;
    }
    return tb_fail(err, TB_E_TOO_LARGE, "a topic of %zu bytes is too long; the limit is %d",
                   topic.len, TB_TOPIC_MAX);
}

static bool listens(const struct tb_topics_end *end, struct tb_str topic)
{
    LIST_FOREACH(link, &end->subscriptions) {
        if (is_for(of(link), topic)) {
            return true;
        }
    }
    return false;
}

static struct tb_str copy(struct tb_str text)
{
    return (struct tb_str){tb_memdup(text.ptr, text.len), text.len};
}

int tb_topics_publish(struct tb_topics *topics, struct tb_str topic, struct tb_str bytes,
                      struct tb_err *err)
{
    int rc = check_topic(topic, err);
    if (rc == 0 && bytes.len > TB_MESSAGE_MAX) {
        rc = tb_fail(err, TB_E_TOO_LARGE, "a message of %zu bytes is too large; the limit is %d",
                     bytes.len, TB_MESSAGE_MAX);
    }
    if (rc < 0) {
        return rc;
    }
    topics->sent++;
    LIST_FOREACH(link, &topics->ends) {
        struct tb_topics_end *end = TB_CONTAINER(link, struct tb_topics_end, link);
        if (listens(end, topic)) {
            struct message *message = TB_NEW(struct message);
            message->topic = copy(topic);
            message->bytes = copy(bytes);
            message->number = topics->sent;
            tb_list_append(&end->messages, &message->link);
            tb_loop_defer(end->loop, &end->job);
        }
    }
    return 0;
}

struct tb_store_subscription *tb_topics_subscribe(struct tb_topics_end *end, struct tb_str topic,
                                                  tb_store_message_fn *fn, void *user,
                                                  struct tb_err *err)
{
    if (check_topic(topic, err) < 0) {
        return NULL;
    }
    struct tb_store_subscription *subscription = TB_NEW(struct tb_store_subscription);
    subscription->end = end;
    subscription->topic = tb_str_dup(topic);
    subscription->topic_len = topic.len;
    subscription->since = end->topics->sent;
    subscription->fn = fn;
    subscription->user = user;
    tb_list_append(&end->subscriptions, &subscription->link);
    return subscription;
}

void tb_topics_unsubscribe(struct tb_store_subscription *subscription)
{
    if (!subscription) {
        return;
    }
    struct tb_topics_end *end = subscription->end;
    if (end->next == &subscription->link) {
        end->next = subscription->link.next;
    }
    tb_list_remove(&subscription->link);
    tb_free(subscription->topic);
    tb_free(subscription);
}
