/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdio.h>

enum {
    WORD_MAX = 79,
    SLIPS_MAX = 3, /* in a word of any length; more are another word */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters have to be changed, added, left out or swapped with their neighbour (optimal
 * string alignment). Row j has the distances of the beginnings of `from` to the first j letters of
 * `to`; only the last three rows are needed. */
static size_t distance(struct tb_str from, struct tb_str to)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= to.len; j++) {
        size_t *row = rows[j % 3];
        const size_t *above = rows[(j + 2) % 3];
        const size_t *second = rows[(j + 1) % 3];
        row[0] = j;
        for (size_t i = 1; i <= from.len; i++) {
            if (j == 0) {
                row[i] = i;
                continue;
            }
            bool same = from.ptr[i - 1] == to.ptr[j - 1];
            row[i] = least(above[i - 1] + !same, least(above[i], row[i - 1]) + 1);
            if (i > 1 && j > 1 && from.ptr[i - 1] == to.ptr[j - 2] &&
                from.ptr[i - 2] == to.ptr[j - 1]) {
                row[i] = least(row[i], second[i - 2] + 1);
            }
        }
    }
    return rows[to.len % 3][from.len];
}

void tb_nearest_offer(struct tb_nearest *nearest, const char *candidate)
{
    struct tb_str to = tb_str_of(candidate);
    if (nearest->word.len > WORD_MAX || to.len > WORD_MAX) {
        return;
    }
    size_t far = distance(nearest->word, to);
    if (far <= least(to.len / 3, SLIPS_MAX) && (!nearest->best[0] || far < nearest->distance)) {
        nearest->distance = far;
        snprintf(nearest->best, sizeof(nearest->best), "%s", candidate);
    }
}

const char *tb_nearest_words(struct tb_nearest *nearest)
{
    if (nearest->best[0]) {
        snprintf(nearest->words, sizeof(nearest->words), " (did you mean %s?)", nearest->best);
    }
    return nearest->words;
}
