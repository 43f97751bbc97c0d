/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for secrets: pages of their own, which are never swapped out nor part of a core dump,
 * where the system grants it, with a page that cannot be touched before and behind. What is given
 * back is wiped, and its neighbours stay as they are. A vault that has nothing has no pages. */
#pragma once

#include <stddef.h>

struct tb_vault_block;

/* All zero: there is nothing in it. */
struct tb_vault {
    struct tb_vault_block *blocks;
    int failure; /* the first -errno of a page that could not be locked; 0: all are */
    /* Is told of that once; NULL: nobody is. */
    void (*unlocked)(struct tb_vault *vault);
};

/* Zeroed, never NULL. */
void *tb_vault_take(struct tb_vault *vault, size_t size);
/* NULL is passed over. */
void tb_vault_give_back(struct tb_vault *vault, void *ptr);
