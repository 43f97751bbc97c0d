/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the elements of an array or the members of an object, as byte ranges. The text must
 * have passed tb_json_scan; nothing is checked again. Over any other text the walk ends and never
 * leaves it, and what it gives is a guess.
 *
 *   struct tb_json_iter iter = tb_json_iter_of(text);
 *   while (tb_json_iter_next(&iter, &item)) ... */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "proto/json_scan.h"

struct tb_json_iter {
    struct tb_str rest;
    bool object;
};

struct tb_json_item {
    struct tb_str key; /* with quotes; NULL pointer in an array */
    struct tb_json_value value;
};

/* Space around the container is passed over. A scalar gives a walk with no items. */
struct tb_json_iter tb_json_iter_of(struct tb_str text);
/* False at the end; *ret_item is then left alone. */
bool tb_json_iter_next(struct tb_json_iter *iter, struct tb_json_item *ret_item);
