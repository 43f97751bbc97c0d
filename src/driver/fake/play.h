/* SPDX-License-Identifier: Apache-2.0 */
/* What a fake session has to offer: the tools of its page, and results of any form and length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct tb_brought;
struct tb_brought_list;
struct tb_core;
struct tb_driver_events;
struct tb_egress;
struct tb_fake;
struct tb_json_writer;
struct tb_op;
struct tb_pass;

/* These and no others. The references that core gets are its own. */
void tb_fake_tools_note(struct tb_brought_list *tools, struct tb_brought *const *list,
                        size_t count);
/* Fills in the result of an operation that ends well. */
void tb_fake_give(const struct tb_fake *fake, const struct tb_op *op);
/* Of the last call of a brought tool. */
void tb_fake_note_invoked(struct tb_fake *fake, const struct tb_op *op);
/* Of the last open. */
void tb_fake_note_args(struct tb_fake *fake, const struct cJSON *args);
/* As the driver of a browser it asks before a page is opened. True: the operation has ended with
 * the refusal. */
bool tb_fake_refuses(const struct tb_driver_events *events, void *owner, struct tb_op *op);
/* For the forward proxy, bound to the egress; NULL without one. */
struct tb_pass *tb_fake_pass(struct tb_core *core, struct tb_egress *egress);
/* What it is, and for tests, which are its browser, the way out with its pass. */
void tb_fake_describe(const struct tb_core *core, const struct tb_pass *pass,
                      struct tb_json_writer *json);
