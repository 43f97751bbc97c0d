/* SPDX-License-Identifier: Apache-2.0 */
#include "front/refused.h"

#include <string.h>

#include "base/utf8.h"
#include "core/keys.h"
#include "core/limits.h"
#include "front/guard.h"

static const enum tb_event_type types[] = {
    [TB_REFUSED_PLACE] = TB_EVENT_CALLER_REFUSED,
    [TB_REFUSED_CREDENTIAL] = TB_EVENT_CREDENTIAL_REFUSED,
};

/* They concern no tenant but the operator's, and there only those who administer it. */
static struct tb_event event_of(enum tb_refused_for sort)
{
    return (struct tb_event){
        .type = types[sort], .tenant = TB_TENANT_DEFAULT, .session_id = "", .hidden = true};
}

static void tell_rest(const struct tb_refused *refused, enum tb_refused_for sort, int64_t count)
{
    struct tb_event event = event_of(sort);
    event.fields[0] = tb_field_number("count", count);
    tb_bus_publish(&refused->core->bus, &event);
}

static void on_places(struct tb_flood *flood, int64_t count)
{
    tell_rest(TB_CONTAINER(flood, struct tb_refused, floods[TB_REFUSED_PLACE]), TB_REFUSED_PLACE,
              count);
}

static void on_credentials(struct tb_flood *flood, int64_t count)
{
    tell_rest(TB_CONTAINER(flood, struct tb_refused, floods[TB_REFUSED_CREDENTIAL]),
              TB_REFUSED_CREDENTIAL, count);
}

void tb_refused_init(struct tb_refused *refused, struct tb_core *core)
{
    *refused = (struct tb_refused){.core = core};
    tb_flood_init(&refused->floods[TB_REFUSED_PLACE], core->loop, on_places);
    tb_flood_init(&refused->floods[TB_REFUSED_CREDENTIAL], core->loop, on_credentials);
}

void tb_refused_fini(struct tb_refused *refused)
{
    for (unsigned sort = 0; sort < TB_REFUSED_SORTS; sort++) {
        tb_flood_fini(&refused->floods[sort]);
    }
}

static struct tb_field header_of(const struct tb_http1_head *head, const char *name,
                                 const char *header)
{
    struct tb_str text = tb_str_sub(tb_http1_header(head, header), 0, TB_REFUSED_TEXT);
    text = tb_str_sub(text, 0, tb_utf8_prefix(text));
    return text.len ? tb_field_text(name, text) : (struct tb_field){0};
}

/* The id is the part of a key that everybody may see; it tells which one is used in vain. */
static struct tb_field key_of(const struct tb_http1_head *head)
{
    static const char id_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    const size_t start = strlen("tbk_");
    const size_t id_len = TB_KEY_ID_SIZE - 1;
    struct tb_str token = tb_guard_token(head);
    if (!tb_str_starts(token, TB_STR("tbk_")) || token.len <= id_len || token.ptr[id_len] != '_') {
        return (struct tb_field){0};
    }
    for (size_t i = start; i < id_len; i++) {
        if (!memchr(id_chars, token.ptr[i], sizeof(id_chars) - 1)) {
            return (struct tb_field){0};
        }
    }
    return tb_field_text("key", tb_str_sub(token, 0, id_len));
}

void tb_refused_note(struct tb_refused *refused, enum tb_refused_for sort,
                     const struct tb_front_req *req, int code)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    if (!tb_flood_tells(&refused->floods[sort])) {
        return;
    }
    struct tb_event event = event_of(sort);
    event.outcome = tb_err_name(code);
    event.fields[0] = tb_field_cstr("peer", tb_http_req_peer(req->http)->text);
    if (sort == TB_REFUSED_CREDENTIAL) {
        event.fields[1] = tb_field_cstr("route", req->route->path);
        event.fields[2] = key_of(head);
    } else {
        event.fields[1] = header_of(head, "host", "Host");
        event.fields[2] = header_of(head, "origin", "Origin");
    }
    tb_bus_publish(&refused->core->bus, &event);
}
