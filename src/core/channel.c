/* SPDX-License-Identifier: Apache-2.0 */
#include "core/channel.h"

#include "base/mem.h"
#include "io/loop.h"

enum {
    ENDS = 2,
};

struct side {
    const struct tb_channel_events *events; /* NULL: it has not joined, or has closed */
    void *user;
    bool closed;
    bool told;    /* that the other has closed */
    bool refused; /* what it sends, until it is told that the other is ready */
    bool due;     /* to be told so */
};

struct tb_channel {
    unsigned refs;
    struct tb_loop *loop;
    struct side sides[ENDS];
    struct tb_deferred job; /* tells the ends */
};

static struct side *other_of(struct tb_channel *channel, enum tb_channel_end end)
{
    return &channel->sides[end == TB_CHANNEL_PEER ? TB_CHANNEL_DRIVER : TB_CHANNEL_PEER];
}

struct tb_channel *tb_channel_ref(struct tb_channel *channel, const char *why)
{
    (void)why;
    if (channel) {
        channel->refs++;
    }
    return channel;
}

void tb_channel_unref(struct tb_channel *channel, const char *why)
{
    (void)why;
    if (channel && --channel->refs == 0) {
        tb_deferred_cancel(&channel->job);
        tb_free(channel);
    }
}

static void tell(struct tb_channel *channel, enum tb_channel_end end)
{
    struct side *side = &channel->sides[end];
    const struct side *other = other_of(channel, end);
    if (!side->events || side->told) {
        return;
    }
    if (other->closed) {
        side->told = true;
        side->events->closed(side->user);
    } else if (side->due) {
        side->due = false;
        side->refused = false;
        if (side->events->ready) {
            side->events->ready(side->user);
        }
    }
}

/* Either may close both ends. */
static void on_job(struct tb_deferred *job)
{
    struct tb_channel *channel = TB_CONTAINER(job, struct tb_channel, job);
    tb_channel_ref(channel, "telling");
    tell(channel, TB_CHANNEL_PEER);
    tell(channel, TB_CHANNEL_DRIVER);
    tb_channel_unref(channel, "telling");
}

struct tb_channel *tb_channel_new(struct tb_loop *loop, const struct tb_channel_events *events,
                                  void *user)
{
    struct tb_channel *channel = TB_NEW(struct tb_channel);
    channel->refs = 1;
    channel->loop = loop;
    channel->job.run = on_job;
    channel->sides[TB_CHANNEL_PEER] = (struct side){.events = events, .user = user};
    return channel;
}

int tb_channel_join(struct tb_channel *channel, const struct tb_channel_events *events, void *user)
{
    struct side *side = &channel->sides[TB_CHANNEL_DRIVER];
    if (channel->sides[TB_CHANNEL_PEER].closed) {
        return TB_E_CLOSED;
    }
    if (side->events || side->closed) {
        return TB_E_EXISTS;
    }
    *side = (struct side){.events = events, .user = user};
    tb_channel_ref(channel, "driver");
    tb_channel_ready(channel, TB_CHANNEL_DRIVER);
    return 0;
}

int tb_channel_send(struct tb_channel *channel, enum tb_channel_end end,
                    const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct side *side = &channel->sides[end];
    const struct side *other = other_of(channel, end);
    if (!side->events || other->closed) {
        return TB_E_CLOSED;
    }
    if (side->refused) {
        return TB_E_BUSY;
    }
    tb_channel_ref(channel, "sending");
    int rc = other->events ? other->events->receive(other->user, message, tail) : TB_E_BUSY;
    side->refused = side->refused || rc == TB_E_BUSY;
    tb_channel_unref(channel, "sending");
    return rc;
}

void tb_channel_ready(struct tb_channel *channel, enum tb_channel_end end)
{
    struct side *other = other_of(channel, end);
    if (other->refused) {
        other->due = true;
        tb_loop_defer(channel->loop, &channel->job);
    }
}

void tb_channel_close(struct tb_channel *channel, enum tb_channel_end end)
{
    struct side *side = &channel->sides[end];
    *side = (struct side){.closed = true};
    tb_loop_defer(channel->loop, &channel->job);
    tb_channel_unref(channel, end == TB_CHANNEL_PEER ? "peer" : "driver");
}
