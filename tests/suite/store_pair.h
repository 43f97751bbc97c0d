/* SPDX-License-Identifier: Apache-2.0 */
/* Two nodes on one store, and a clock that a test moves. Of a store that is not shared it is one
 * node under two names. */
#pragma once

#include "suite/store_cases.h"
#include "suite/store_lab.h"

struct store_subject {
    const struct tb_store_kind *kind;
    store_join_fn *join; /* may be NULL */
};

struct store_pair {
    struct store_lab *one;
    struct store_lab *two;
};

/* For cmocka: the state is the subject first, then the pair. */
int store_pair_start(void **state);
int store_pair_stop(void **state);

#define STORE_PAIR_CASE(name, subject) \
    cmocka_unit_test_prestate_setup_teardown(name, store_pair_start, store_pair_stop, subject)
