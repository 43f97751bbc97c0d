/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean ...?": finds the candidate that is nearest to a word that is not known.
 *
 *   struct tb_nearest nearest = {.word = name};
 *   tb_nearest_offer(&nearest, "serve"); ...
 *   printf("unknown command '%s'%s", name, tb_nearest_words(&nearest)); */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct tb_nearest {
    struct tb_str word;
    char best[80];
    size_t distance; /* of `best`, when there is one */
    char words[120];
};

/* Takes note of the candidate if it is the nearest so far, and near enough to be meant. */
void tb_nearest_offer(struct tb_nearest *nearest, const char *candidate);
/* " (did you mean X?)", or "". Lives as long as *nearest. */
const char *tb_nearest_words(struct tb_nearest *nearest);
