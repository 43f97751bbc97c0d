/* SPDX-License-Identifier: Apache-2.0 */
/* A notice: an event of the bus as the outside gets it, written once and shared by all who get it.
 * The last reference frees it. The text is a whole server-sent event; the JSON is a part of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "base/str.h"
#include "core/event.h"
#include "core/session.h"

enum {
    TB_NOTICE_ID_SIZE = 40, /* "5f0c2a9e41d7-17" */
};

struct tb_notice {
    unsigned refs;
    char id[TB_NOTICE_ID_SIZE];
    const char *type;
    /* What filters ask for. */
    uint64_t type_bit; /* as of tb_event_mask; 0: no event of the bus */
    unsigned kind_bit; /* 1 << kind; 0: unknown, or about no session */
    bool hidden;       /* about a private session */
    char tenant[TB_TENANT_SIZE];
    char session[TB_NAME_SIZE];  /* its name */
    char session_id[TB_ID_SIZE]; /* a secret: for comparison only */
    size_t text_len;
    size_t json_len;
    char text[];
};

/* From what a notice is made. */
struct tb_notice_spec {
    const char *id;
    const char *type;
    uint64_t type_bit;
    int64_t wall_ms;
    const char *tenant;
    const char *session; /* empty: about none */
    const char *session_id;
    const char *kind; /* NULL: unknown */
    unsigned kind_bit;
    bool hidden;
    struct tb_str data; /* an object, on one line */
};

/* The caller has the first reference. */
struct tb_notice *tb_notice_new(const struct tb_notice_spec *spec);
/* Gives the notice back, for whoever keeps it; `why` is for the reader of the code. */
struct tb_notice *tb_notice_ref(struct tb_notice *notice, const char *why);
void tb_notice_unref(struct tb_notice *notice, const char *why);
struct tb_str tb_notice_text(const struct tb_notice *notice);
struct tb_str tb_notice_json(const struct tb_notice *notice);
