/* SPDX-License-Identifier: Apache-2.0 */
#include "front/refused.h"

#include "base/utf8.h"
#include "core/keys.h"
#include "core/limits.h"
#include "front/guard.h"

/* No tenant is known yet, so it is the operator's to know: see front/events/filter.c. */
static struct tb_event event_of(const struct tb_refused *refused)
{
    return (struct tb_event){.type = refused->type, .tenant = TB_TENANT_DEFAULT, .session_id = ""};
}

static void on_rest(struct tb_flood *flood, int64_t count)
{
    const struct tb_refused *refused = TB_CONTAINER(flood, struct tb_refused, flood);
    struct tb_event event = event_of(refused);
    event.fields[0] = tb_field_number("count", count);
    tb_bus_publish(&refused->core->bus, &event);
}

void tb_refused_init(struct tb_refused *refused, struct tb_core *core, enum tb_event_type type)
{
    *refused = (struct tb_refused){.core = core, .type = type};
    tb_flood_init(&refused->flood, core->loop, on_rest);
}

void tb_refused_fini(struct tb_refused *refused)
{
    tb_flood_fini(&refused->flood);
}

static struct tb_field text_of(const char *name, struct tb_str text)
{
    text = tb_str_sub(text, 0, TB_REFUSED_TEXT);
    text = tb_str_sub(text, 0, tb_utf8_prefix(text));
    return text.len ? tb_field_text(name, text) : (struct tb_field){0};
}

/* It tells which key is used in vain. */
static struct tb_field key_of(const struct tb_http1_head *head)
{
    struct tb_str id = tb_key_id_of(tb_guard_token(head));
    return id.len ? tb_field_text("key", id) : (struct tb_field){0};
}

void tb_refused_note(struct tb_refused *refused, const struct tb_front_req *req, int code)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    if (!tb_flood_tells(&refused->flood)) {
        return;
    }
    struct tb_event event = event_of(refused);
    event.outcome = tb_err_name(code);
    event.fields[0] = tb_field_cstr("peer", tb_http_req_peer(req->http)->text);
    if (refused->type == TB_EVENT_CREDENTIAL_REFUSED) {
        event.fields[1] = tb_field_cstr("route", req->route->path);
        event.fields[2] = key_of(head);
    } else {
        event.fields[1] = text_of("host", tb_http1_header(head, "Host"));
        event.fields[2] = text_of("origin", tb_http1_header(head, "Origin"));
    }
    tb_bus_publish(&refused->core->bus, &event);
}

void tb_refused_note_proxy(struct tb_refused *refused, const struct tb_peer *peer,
                           const struct tb_http1_head *head, int code)
{
    if (!tb_flood_tells(&refused->flood)) {
        return;
    }
    struct tb_event event = event_of(refused);
    event.outcome = tb_err_name(code);
    event.fields[0] = tb_field_cstr("peer", peer->text);
    event.fields[1] = tb_field_cstr("route", "proxy");
    event.fields[2] = text_of("host", head->authority);
    tb_bus_publish(&refused->core->bus, &event);
}
