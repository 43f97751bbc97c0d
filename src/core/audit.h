/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: who did what where, when, and how it went. It listens to the bus and nothing calls
 * it; what it makes of an event is an entry in the store (core/store.h), for which the reply waits
 * at the event's gate.
 *
 * Only what a row of the table in audit.c names is kept: no arguments, no results, no page content,
 * so nothing that was typed. A new kind of entry is a row there. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct tb_audit;
struct tb_audit_entry;
struct tb_core;
struct tb_json_writer;

/* TB_E_PARAMS, with those that there are, when no entry of the log ever has this type. */
int tb_audit_check_type(struct tb_str type, struct tb_err *err);

/* Appends an entry as an object, with its hash. */
void tb_audit_entry_put(const struct tb_audit_entry *entry, struct tb_json_writer *json);
/* Subscribes; the settings audit.* count for each event as they are then. */
struct tb_audit *tb_audit_new(struct tb_core *core);
/* The bus and the store outlive it. */
void tb_audit_free(struct tb_audit *audit);
TB_DEFINE_AUTO(struct tb_audit *, tb_audit_free)
