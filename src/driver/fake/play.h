/* SPDX-License-Identifier: Apache-2.0 */
/* What a fake session has to offer: the tools of its page, and results of any form and length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tb_brought;
struct tb_fake;
struct tb_op;

struct tb_fake_tools {
    struct tb_brought **list; /* references */
    size_t count;
};

void tb_fake_tools_clear(struct tb_fake_tools *tools);
/* These and no others. The references that core gets are its own. */
void tb_fake_tools_note(struct tb_fake_tools *tools, struct tb_brought *const *list, size_t count);
bool tb_fake_tools_have(const struct tb_fake_tools *tools, const struct tb_brought *tool);
/* Fills in the result of an operation that ends well. */
void tb_fake_give(const struct tb_fake *fake, const struct tb_op *op);
