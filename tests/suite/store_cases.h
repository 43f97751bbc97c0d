/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every store. Its test program runs them, and its own tests in the same
 * lab.
 */
#pragma once

#include "core/store.h"

/* The number of failures. */
int store_cases(const struct tb_store_kind *kind);
/* Of these, those about writes that have an answer: put_new. */
int store_answer_cases(const struct tb_store_kind *kind);
