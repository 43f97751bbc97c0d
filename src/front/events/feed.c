/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "front/events/hooks.h"
#include "front/events/readers.h"

void tb_feed_id(const struct tb_feed *feed, uint64_t position, char ret_id[TB_NOTICE_ID_SIZE])
{
    snprintf(ret_id, TB_NOTICE_ID_SIZE, "%s-%" PRIu64, feed->boot, position);
}

static bool is_boot(struct tb_str text)
{
    size_t digits = 0;
    while (digits < text.len && strchr("0123456789abcdef", text.ptr[digits])) {
        digits++;
    }
    return digits == TB_BOOT_SIZE - 1 && digits == text.len;
}

enum tb_feed_place tb_feed_find(const struct tb_feed *feed, struct tb_str id,
                                uint64_t *ret_position)
{
    const struct tb_notices *notices = &feed->notices;
    struct tb_str boot = tb_str_cut(&id, '-');
    uint64_t position;
    if (!is_boot(boot) || !tb_str_to_u64(id, &position)) {
        return TB_PLACE_UNKNOWN;
    }
    if (!tb_str_eq_cstr(boot, feed->boot)) {
        return TB_PLACE_RESTARTED;
    }
    if (position >= notices->next) {
        return TB_PLACE_UNKNOWN;
    }
    if (position + 1 < notices->first) {
        return TB_PLACE_EXPIRED;
    }
    *ret_position = position;
    return TB_PLACE_HERE;
}

/* A session that has ended is looked up in vain; what is told of it then has its name and type. */
static void name_ended(const struct tb_event *event, struct tb_notice_spec *spec)
{
    const struct tb_field *type = tb_event_field(event, "type");
    enum tb_session_kind kind;
    if (event->session) {
        spec->session = event->session;
    }
    if (type && type->kind == TB_FIELD_TEXT && tb_session_kind_find(type->text, &kind)) {
        spec->kind = tb_session_kind_name(kind);
        spec->kind_bit = 1U << kind;
    }
}

/* True if somebody reads, or may come back for what it misses: one that has left lately, or in the
 * first moments one that was there before a restart. */
static bool has_audience(const struct tb_feed *feed)
{
    return feed->reader_count > 0 || tb_loop_now_ms(feed->core->loop) < feed->awaited_ms;
}

/* Most daemons never have a reader, and what nobody can ask for costs nothing but its number. */
static void skip(struct tb_feed *feed)
{
    struct tb_notices *notices = &feed->notices;
    struct tb_notice *notice;
    while ((notice = tb_notices_pop(notices))) {
        tb_notice_unref(notice, "kept");
    }
    notices->first = ++notices->next;
}

static void on_event(const struct tb_event *event, void *user)
{
    struct tb_feed *feed = user;
    struct tb_core *core = feed->core;
    core->metrics.values[TB_METRIC_EVENTS]++;
    bool audience = has_audience(feed);
    if (!audience && !tb_hooks_any(feed->hooks)) {
        skip(feed);
        return;
    }
    char id[TB_NOTICE_ID_SIZE];
    tb_feed_id(feed, feed->notices.next, id);
    struct tb_notice_spec spec = {
        .id = id,
        .type = tb_event_name(event->type),
        .type_bit = UINT64_C(1) << event->type,
        .wall_ms = tb_clock_wall_ms(core->clock),
        .tenant = event->tenant,
        .session = "",
        .session_id = event->session_id,
        .hidden = event->hidden,
        .data = tb_event_json(event),
    };
    const struct tb_session *session =
        tb_sessions_find(core->sessions, event->tenant, tb_str_of(event->session_id));
    if (session) {
        const struct tb_session_info info = tb_session_info(session);
        spec.session = info.name;
        spec.kind = tb_session_kind_name(info.kind);
        spec.kind_bit = 1U << info.kind;
    } else if (event->session_id[0]) {
        name_ended(event, &spec);
    }
    struct tb_notice *notice = tb_notice_new(&spec);
    tb_hooks_offer(feed->hooks, notice);
    if (audience) {
        tb_notices_add(&feed->notices, notice);
        tb_readers_deliver_soon(feed);
    } else {
        skip(feed);
    }
    tb_notice_unref(notice, "made");
}

struct tb_feed *tb_feed_new(struct tb_core *core)
{
    uint64_t boot;
    struct tb_feed *feed = TB_NEW(struct tb_feed);
    feed->core = core;
    tb_random_bytes(&boot, sizeof(boot));
    snprintf(feed->boot, sizeof(feed->boot), "%012" PRIx64, boot >> 16);
    tb_notices_init(&feed->notices, TB_EVENTS_KEPT, TB_EVENTS_KEPT_BYTES);
    tb_readers_init(feed);
    feed->hooks = tb_hooks_new(core);
    feed->awaited_ms = tb_loop_now_ms(core->loop) + TB_EVENTS_START_MS;
    feed->bus = (struct tb_subscriber){.fn = on_event, .user = feed};
    tb_bus_subscribe(&core->bus, &feed->bus);
    return feed;
}

void tb_feed_free(struct tb_feed *feed)
{
    if (!feed) {
        return;
    }
    tb_bus_unsubscribe(&feed->bus);
    tb_hooks_free(feed->hooks);
    tb_readers_fini(feed);
    tb_notices_fini(&feed->notices);
    tb_free(feed);
}
