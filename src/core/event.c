/* SPDX-License-Identifier: Apache-2.0 */
#include "core/event.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "core/limits.h"

enum {
    MEMBERS = 12, /* of an event's JSON, and NULL at the end */
};

static const struct row {
    const char *name;
    const char *data[MEMBERS];
} rows[TB_EVENT_COUNT] = {
#define TB_EVENT(NAME, wire, when, ...) {wire, {__VA_ARGS__}},
#include "core/events.def"
#undef TB_EVENT
};

_Static_assert(TB_EVENT_COUNT <= 64, "a mask of events has 64 bits");

const struct tb_field *tb_event_field(const struct tb_event *event, const char *name)
{
    for (size_t i = 0; i < TB_EVENT_FIELDS; i++) {
        const struct tb_field *field = &event->fields[i];
        if (field->kind != TB_FIELD_NONE && strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

/* The names under which the members that every event may have stand in its JSON; all others are
 * fields. */
static bool find_common(const struct tb_event *event, const char *name, const char **ret_text)
{
    const struct {
        const char *name;
        const char *text;
    } common[] = {
        {"name", event->session}, {"session", event->session}, {"agent", event->agent},
        {"tool", event->tool},    {"reason", event->outcome},  {"code", event->outcome},
    };
    for (size_t i = 0; i < TB_COUNT(common); i++) {
        if (strcmp(common[i].name, name) == 0) {
            *ret_text = common[i].text;
            return true;
        }
    }
    return false;
}

static void put_common(struct tb_json_writer *json, const char *name, const char *text)
{
    if (text) {
        tb_json_member_cstr(json, name, text);
    }
}

static void put_field(struct tb_json_writer *json, const struct tb_field *field)
{
    if (field->kind == TB_FIELD_TEXT) {
        tb_json_member_str(json, field->name, field->text);
    } else if (field->kind == TB_FIELD_NUMBER) {
        tb_json_member_int(json, field->name, field->number);
    }
}

static void write_json(const struct tb_event *event, struct tb_buf *out)
{
    const struct row *row = &rows[event->type];
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    for (size_t i = 0; i < MEMBERS && row->data[i]; i++) {
        const char *text = NULL;
        const struct tb_field *field = tb_event_field(event, row->data[i]);
        if (find_common(event, row->data[i], &text)) {
            put_common(&json, row->data[i], text);
        } else if (field) {
            put_field(&json, field);
        }
    }
    tb_json_object_close(&json);
    assert(json.rc == 0); /* every text in it is short */
}

struct tb_str tb_event_json(const struct tb_event *event)
{
    if (!event->json->len) {
        write_json(event, event->json);
    }
    return tb_buf_str(event->json);
}

const char *tb_event_name(enum tb_event_type type)
{
    return rows[type].name;
}

static bool find(struct tb_str name, uint64_t *mask)
{
    for (unsigned type = 0; type < TB_EVENT_COUNT; type++) {
        if (tb_str_eq_cstr(name, rows[type].name)) {
            *mask |= UINT64_C(1) << type;
            return true;
        }
    }
    return false;
}

/* They are too many for one line that somebody reads. */
static int unknown(struct tb_str name, struct tb_err *err)
{
    struct tb_nearest nearest = {.word = name};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        tb_nearest_offer(&nearest, rows[i].name);
    }
    return tb_fail(err, TB_E_PARAMS, "unknown event '%.*s'%s; docs/EVENTS.md lists them all",
                   (int)(name.len < 40 ? name.len : 40), name.ptr, tb_nearest_words(&nearest));
}

int tb_event_mask(struct tb_str list, uint64_t *mask, struct tb_err *err)
{
    while (list.ptr) {
        struct tb_str name = tb_str_trim(tb_str_cut(&list, ','));
        if (name.len && !find(name, mask)) {
            return unknown(name, err);
        }
    }
    return 0;
}
