/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every store. Its test program runs them, and its own tests in the same
 * lab.
 */
#pragma once

#include "core/store.h"

/* Another core on the store of an open one. */
typedef void *store_join_fn(void *state, struct tb_core *core);

/* The number of failures. `join` for a store that can be shared. */
int store_cases(const struct tb_store_kind *kind, store_join_fn *join);
/* Of these, those about writes that have an answer, about claims and fences, and about topics. */
int store_answer_cases(const struct tb_store_kind *kind);
int store_node_cases(const struct tb_store_kind *kind, store_join_fn *join);
int store_topic_cases(const struct tb_store_kind *kind, store_join_fn *join);
