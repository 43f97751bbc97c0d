/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/store_pair.h"

#include "base/mem.h"

int store_pair_start(void **state)
{
    const struct store_subject *subject = *state;
    struct store_pair *pair = TB_NEW(struct store_pair);
    pair->one = store_lab_new(subject->kind);
    store_lab_stop_clock(pair->one);
    pair->two = subject->join ? store_lab_join(pair->one, subject->join) : pair->one;
    *state = pair;
    return 0;
}

int store_pair_stop(void **state)
{
    struct store_pair *pair = *state;
    if (pair->two != pair->one) {
        store_lab_leave(pair->two);
    }
    store_lab_free(pair->one);
    tb_free(pair);
    return 0;
}
