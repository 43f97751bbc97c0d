/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as bytes: numbers and texts with their lengths, one after the other. Stores hand rows from a
 * worker to the loop in this form, and keep changes in it for a moment in files of their own. Its
 * byte order is the machine's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "core/store.h"

void tb_pack_num(struct tb_buf *out, int64_t number);
void tb_pack_str(struct tb_buf *out, struct tb_str text);
void tb_pack_entry(struct tb_buf *out, const struct tb_audit_entry *entry);

/* Reading: what is not there reads as 0 or empty, and `bad` is set. Texts point into the bytes. */
struct tb_unpack {
    struct tb_str rest;
    bool bad;
};

int64_t tb_unpack_num(struct tb_unpack *unpack);
struct tb_str tb_unpack_str(struct tb_unpack *unpack);
void tb_unpack_entry(struct tb_unpack *unpack, struct tb_audit_entry *ret_entry);
