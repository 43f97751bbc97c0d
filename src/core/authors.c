/* SPDX-License-Identifier: Apache-2.0 */
#include "core/authors.h"

#include <string.h>

#include "base/mem.h"

enum {
    AUTHORS_MAX = 8, /* they stand in a record, which is light */
};

static struct tb_author *of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tb_author, link);
}

static void author_free(struct tb_author *author)
{
    tb_list_remove(&author->link);
    tb_free(author->name);
    tb_free(author);
}

static struct tb_author *find(const struct tb_list *authors, const char *name)
{
    LIST_FOREACH(link, authors) {
        if (strcmp(of(link)->name, name) == 0) {
            return of(link);
        }
    }
    return NULL;
}

/* Who has only looked, or has been told and has typed nothing since, goes before the oldest. */
static struct tb_author *who_gives_way(const struct tb_list *authors, bool *ret_is_spent)
{
    struct tb_author *first = NULL;
    size_t count = 0;
    LIST_FOREACH(link, authors) {
        struct tb_author *author = of(link);
        bool is_spent = !author->has_text && !author->untold;
        first = !first && is_spent ? author : first;
        count++;
    }
    *ret_is_spent = first != NULL;
    return count < AUTHORS_MAX ? NULL : first ? first : of(authors->next);
}

static struct tb_author *make(struct tb_list *authors, const char *name)
{
    struct tb_author *author = find(authors, name);
    if (author) {
        return author;
    }
    bool is_spent;
    struct tb_author *gives_way = who_gives_way(authors, &is_spent);
    if (gives_way) {
        author_free(gives_way);
    }
    author = TB_NEW(struct tb_author);
    author->name = tb_strdup(name);
    tb_list_append(authors, &author->link);
    return author;
}

bool tb_authors_typed(struct tb_list *authors, const char *name)
{
    struct tb_author *author = make(authors, name);
    bool known = author->has_text;
    author->has_text = true;
    return !known;
}

void tb_authors_lose(struct tb_list *authors, const char *owner)
{
    bool any = false;
    LIST_FOREACH(link, authors) {
        struct tb_author *author = of(link);
        any = any || author->has_text;
        author->untold = author->untold || author->has_text;
        author->has_text = false;
    }
    if (!any) {
        make(authors, owner)->untold = true;
    }
}

void tb_authors_set_untold(struct tb_list *authors, const char *name)
{
    make(authors, name)->untold = true;
}

bool tb_authors_tell(struct tb_list *authors, const char *name, int64_t calls)
{
    struct tb_author *author = find(authors, name);
    if (!author || !author->untold) {
        return false;
    }
    author->untold = false;
    author->unaware = calls;
    return true;
}

bool tb_authors_unaware(const struct tb_list *authors, const char *name, int64_t number)
{
    const struct tb_author *author = find(authors, name);
    return author && (author->untold || number <= author->unaware);
}

void tb_authors_called(struct tb_list *authors, const char *name)
{
    bool is_spent;
    /* Text is worth more than a look. */
    if (find(authors, name) || !who_gives_way(authors, &is_spent) || is_spent) {
        make(authors, name)->has_seen = true;
    }
}

void tb_authors_mislead(struct tb_list *authors)
{
    LIST_FOREACH(link, authors) {
        of(link)->misled = of(link)->misled || of(link)->has_seen;
        of(link)->has_seen = false;
    }
}

bool tb_authors_enlighten(struct tb_list *authors, const char *name)
{
    struct tb_author *author = find(authors, name);
    bool was_misled = author && author->misled;
    if (was_misled) {
        author->misled = false;
    }
    return was_misled;
}

bool tb_authors_any_misled(const struct tb_list *authors)
{
    LIST_FOREACH(link, authors) {
        if (of(link)->misled) {
            return true;
        }
    }
    return false;
}

bool tb_authors_any_untold(const struct tb_list *authors)
{
    LIST_FOREACH(link, authors) {
        if (of(link)->untold) {
            return true;
        }
    }
    return false;
}

void tb_authors_gone(struct tb_list *authors)
{
    LIST_FOREACH(link, authors) {
        of(link)->has_text = false;
    }
}

void tb_authors_move_on(struct tb_list *authors)
{
    LIST_FOREACH(link, authors) {
        of(link)->untold = false;
        of(link)->unaware = 0;
    }
}

void tb_authors_fini(struct tb_list *authors)
{
    while (!tb_list_empty(authors)) {
        author_free(of(authors->next));
    }
}

void tb_authors_print(const struct tb_list *authors, bool untold, struct tb_json_writer *json)
{
    tb_json_array_open(json);
    LIST_FOREACH(link, authors) {
        if (untold ? of(link)->untold : of(link)->has_text) {
            tb_json_put_cstr(json, of(link)->name);
        }
    }
    tb_json_array_close(json);
}
