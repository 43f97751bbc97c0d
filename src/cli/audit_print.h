/* SPDX-License-Identifier: Apache-2.0 */
/* Audit entries on stdout: a line of a table, or a line of JSON. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "core/store.h"

enum tb_audit_form {
    TB_AUDIT_TABLE,
    TB_AUDIT_JSON,
};

/* The line above a table; nothing for JSON. */
void tb_audit_print_head(enum tb_audit_form form, struct tb_buf *out);
/* Appends the entry and a line's end. Control characters, which could make a terminal do things,
 * are shown as "?" in a table. */
void tb_audit_print(const struct tb_audit_entry *entry, enum tb_audit_form form,
                    struct tb_buf *out);
