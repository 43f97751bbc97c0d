/* SPDX-License-Identifier: Apache-2.0 */
/* An intrusive, doubly linked, circular list. A struct tb_list is a head or a link inside an
 * object; a link that is on no list points to itself, so removing twice is harmless. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct tb_list {
    struct tb_list *next;
    struct tb_list *prev;
};

static inline void tb_list_init(struct tb_list *list)
{
    list->next = list;
    list->prev = list;
}

static inline bool tb_list_empty(const struct tb_list *list)
{
    return list->next == list;
}

static inline void tb_list_append(struct tb_list *head, struct tb_list *link)
{
    link->prev = head->prev;
    link->next = head;
    head->prev->next = link;
    head->prev = link;
}

/* Takes a link from its list; a link that is zeroed or on no list stays as it is. */
static inline void tb_list_remove(struct tb_list *link)
{
    if (!link->next) {
        return;
    }
    link->prev->next = link->next;
    link->next->prev = link->prev;
    tb_list_init(link);
}

/* The first link, removed; NULL when the list is empty. */
static inline struct tb_list *tb_list_pop(struct tb_list *head)
{
    struct tb_list *link = head->next;
    if (link == head) {
        return NULL;
    }
    tb_list_remove(link);
    return link;
}

/* Moves all links of `from` to the end of `to`; `from` is empty then. */
static inline void tb_list_splice(struct tb_list *to, struct tb_list *from)
{
    if (tb_list_empty(from)) {
        return;
    }
    from->next->prev = to->prev;
    from->prev->next = to;
    to->prev->next = from->next;
    to->prev = from->prev;
    tb_list_init(from);
}

#define LIST_FOREACH(link, head) \
    for (struct tb_list *link = (head)->next; link != (head); link = link->next)
/* The body may remove `link`, and nothing else. */
#define LIST_FOREACH_SAFE(link, head)                                                    \
    for (struct tb_list *link = (head)->next, *link##_next = link->next; link != (head); \
         link = link##_next, link##_next = link->next)
