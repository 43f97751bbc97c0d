/* SPDX-License-Identifier: Apache-2.0 */
/* An event: something that happened, for the bus (core/bus.h). It has ids and plain values, never
 * pointers to what they are about. Who publishes it fills in what is known; who hears it reads the
 * members, or asks for the JSON, which is written at the first ask and not at all if nobody asks.
 * A new event, or a new field of one, is a row of core/events.def. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tb_buf;
struct tb_gate;

enum {
    TB_EVENT_FIELDS = 8,
};

enum tb_event_type {
#define TB_EVENT(NAME, wire, when, ...) TB_EVENT_##NAME,
#include "core/events.def"
#undef TB_EVENT
    TB_EVENT_COUNT,
};

enum tb_field_kind {
    TB_FIELD_NONE, /* not known: it is left out */
    TB_FIELD_TEXT,
    TB_FIELD_NUMBER,
};

struct tb_field {
    const char *name; /* as in core/events.def */
    enum tb_field_kind kind;
    union {
        struct tb_str text;
        int64_t number;
    };
};

/* All is borrowed for the time of delivery. Text that is NULL is not known. */
struct tb_event {
    enum tb_event_type type;
    const char *tenant;
    const char *session_id; /* a secret; empty: about no session */
    const char *session;    /* the name of that session */
    bool hidden;            /* it is private */
    const char *agent;      /* who did it */
    const char *tool;
    const char *outcome;  /* how it went, or the reason of an end */
    struct tb_gate *gate; /* of a reply that waits until the event is on record; may be NULL */
    struct tb_field fields[TB_EVENT_FIELDS];
    struct tb_buf *json; /* the bus's own */
};

/* NULL: not known. */
static inline struct tb_field tb_field_cstr(const char *name, const char *text)
{
    return (struct tb_field){
        name, text ? TB_FIELD_TEXT : TB_FIELD_NONE, {.text = text ? tb_str_of(text) : TB_STR("")}};
}

static inline struct tb_field tb_field_text(const char *name, struct tb_str text)
{
    return (struct tb_field){name, TB_FIELD_TEXT, {.text = text}};
}

static inline struct tb_field tb_field_number(const char *name, int64_t number)
{
    return (struct tb_field){name, TB_FIELD_NUMBER, {.number = number}};
}

/* NULL: it has none of that name, or it is not known. */
const struct tb_field *tb_event_field(const struct tb_event *event, const char *name);
/* Its details as an object on one line, with the members that core/events.def names, in that order.
 * For one that the bus delivers; borrowed until all have heard it. */
struct tb_str tb_event_json(const struct tb_event *event);
const char *tb_event_name(enum tb_event_type type);
/* Adds the bit of each event in a list (wire names between commas) to *mask. TB_E_PARAMS names the
 * one that there is not. */
int tb_event_mask(struct tb_str list, uint64_t *mask, struct tb_err *err);
