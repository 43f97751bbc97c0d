/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of an API key: as a record of the store, and as the caller of a list sees it. For
 * core/keys.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "core/keys.h"

struct tb_key_record {
    char id[TB_KEY_ID_SIZE];
    char tenant[TB_TENANT_SIZE];
    char label[TB_LABEL_SIZE];
    char by[TB_KEY_SIZE]; /* who made it */
    unsigned scopes;
    int64_t created_ms; /* all on the wall clock */
    int64_t expires_ms; /* 0: never */
    int64_t used_ms;    /* 0: not yet */
    struct tb_quota quota;
    struct tb_policy *policy; /* a reference; NULL: none */
    bool told;                /* that it has expired */
    uint8_t hash[TB_HASH_BYTES];
};

/* What it refers to. */
void tb_key_record_fini(struct tb_key_record *record);
/* As the store has it; `out` is large enough. */
void tb_key_record_print(const struct tb_key_record *record, struct tb_buf *out);
/* TB_E_INVALID: it is none. The caller ends it with tb_key_record_fini. */
int tb_key_record_parse(struct tb_str text, struct tb_key_record *ret_record, struct tb_err *err);
/* "observe,act". */
void tb_key_record_scopes(const struct tb_key_record *record, char *ret_text, size_t size);
/* Its members for people and scripts, without braces. */
void tb_key_record_describe(const struct tb_key_record *record, const char *state,
                            struct tb_json_writer *json);
