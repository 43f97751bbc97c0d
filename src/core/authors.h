/* SPDX-License-Identifier: Apache-2.0 */
/* The conversations that use a session's browser, those whose text stands in its pages, and those
 * whose text was lost with it before they heard of that: they must not send a form that is half
 * empty.
 *
 *   --typed--> has text --lost--> untold --told--> (only calls sent before are unaware)
 *   --called--> has seen --another browser--> misled --told-->
 *
 * They belong to the session, and its record has them. The list is short: the oldest goes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/list.h"

struct tb_author {
    struct tb_list link;
    char *name;      /* of the conversation */
    bool has_text;   /* in the pages, saved or not */
    bool untold;     /* that text of it is lost */
    bool has_seen;   /* the browser that is there: a reply of it */
    bool misled;     /* it saw an earlier one, and nobody has told it yet */
    int64_t unaware; /* its calls up to this number were sent before it was told */
};

/* True: this was not known. */
bool tb_authors_typed(struct tb_list *authors, const char *name);
/* All text is lost. If nobody is known to have typed it, `owner` counts as who did. */
void tb_authors_lose(struct tb_list *authors, const char *owner);
/* As its record says. */
void tb_authors_set_untold(struct tb_list *authors, const char *name);
/* A reply tells of the loss, when so many calls were sent. True: it was untold. */
bool tb_authors_tell(struct tb_list *authors, const char *name, int64_t calls);
/* The call of this number comes from who typed what is lost and could not know of it. */
bool tb_authors_unaware(const struct tb_list *authors, const char *name, int64_t number);
/* It gets a reply of the browser that is there. */
void tb_authors_called(struct tb_list *authors, const char *name);
/* Another browser is there, of which they have to hear. */
void tb_authors_mislead(struct tb_list *authors);
/* True once for who saw the one before. */
bool tb_authors_enlighten(struct tb_list *authors, const char *name);
bool tb_authors_any_misled(const struct tb_list *authors);
bool tb_authors_any_untold(const struct tb_list *authors);
/* No text of anybody stands in the pages. */
void tb_authors_gone(struct tb_list *authors);
/* The page that lacks what was lost was left: nobody needs to hear of it. */
void tb_authors_move_on(struct tb_list *authors);
void tb_authors_fini(struct tb_list *authors);
/* The names of those that have text, or are untold, as an array. */
void tb_authors_print(const struct tb_list *authors, bool untold, struct tb_json_writer *json);
