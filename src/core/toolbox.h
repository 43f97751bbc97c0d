/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools there are for a caller, and which of them it may run: those of its view, from the kit
 * of the build, and those that its session brings along; of these the ones that its principal has
 * the scope for, which is `act`, or `observe` for a tool that only looks, and that no policy denies
 * (core/policy.h). Every front and sequence of steps asks here, so that what is kept from a caller
 * is kept from it everywhere; only resources of MCP, which show what a session has, are there for
 * all. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/core.h"
#include "core/principal.h"
#include "core/tool.h"

struct tb_session;

/* A tool that a session brings along: one of its page's. Its driver makes it; it is counted, since
 * a call may outlive the list that it stood in. */
struct tb_brought {
    unsigned refs;
    char *name;         /* as its page calls it */
    char *shown;        /* as callers do; made when it is brought */
    char *origin;       /* whose page it is of, as "https://a.test"; may be empty */
    char *handle;       /* the driver's own word for it */
    int64_t timeout_ms; /* how long a call of it may take, set by the driver; 0: as usual */
    struct tb_str json; /* {"name","description","inputSchema",...} as the page wrote it */
};

/* All texts are copied. TB_E_PARAMS when the page cannot have meant it, or agents would not take
 * it: no name or one that is too long, no object, a large one, or one that does not describe a
 * tool. */
int tb_brought_new(const char *name, const char *origin, const char *handle, struct tb_str json,
                   struct tb_brought **ret_brought, struct tb_err *err);
struct tb_brought *tb_brought_ref(struct tb_brought *brought, const char *why);
void tb_brought_unref(struct tb_brought *brought, const char *why);

/* Some of them, with a reference each. */
struct tb_brought_list {
    struct tb_brought **tools;
    size_t count;
};

void tb_brought_list_clear(struct tb_brought_list *list);
/* By the driver's own word for it. */
bool tb_brought_list_has(const struct tb_brought_list *list, const struct tb_brought *brought);

/* A tool as a caller sees it. */
struct tb_entry {
    const struct tb_tool *tool; /* for one that was brought: a tool that invokes it */
    const struct tb_face *face; /* NULL: none */
    struct tb_brought *brought; /* NULL: it is one of the build; borrowed */
};

/* A tool of the caller's view, or else one that the session (NULL: none) brings along.
 * TB_E_UNKNOWN_TOOL when there is none of this name; TB_E_SCOPE or TB_E_DENIED when the caller may
 * not run it, and then it is still said which one it is. The words are the rest of a sentence about
 * the tool. */
int tb_toolbox_find(const struct tb_core *core, const struct tb_caller *caller,
                    const struct tb_session *session, struct tb_str name,
                    struct tb_entry *ret_entry, struct tb_err *err);
/* The same of a tool that was found by other means: 0, TB_E_SCOPE or TB_E_DENIED. */
int tb_toolbox_permit(const struct tb_core *core, const struct tb_caller *caller,
                      const struct tb_session *session, const struct tb_entry *entry,
                      struct tb_err *err);
/* All that the caller may run: those of the view, always in the same order, then what the session
 * brings. */
void tb_toolbox_each(const struct tb_core *core, const struct tb_caller *caller,
                     const struct tb_session *session,
                     void (*fn)(const struct tb_entry *entry, void *user), void *user);
/* Appends it as an object {name, description, inputSchema, annotations}; of a tool that was brought
 * what its page says of these. toolbox_print.c */
void tb_toolbox_put_entry(const struct tb_entry *entry, struct tb_json_writer *json);
/* The member `annotations` of a tool with these flags; `title` may be NULL. */
void tb_toolbox_put_annotations(struct tb_json_writer *json, const char *title, unsigned flags);
/* Replaces all that the session brings. The array, of which it may be NULL with 0, and the
 * references are taken over; what is over the ceilings (TB_BROUGHT_*) is left out. A tool of the
 * build keeps its name: one that is brought with the same is shown under another. */
void tb_toolbox_bring_take(struct tb_session *session, struct tb_brought **tools, size_t count);
/* How many tools the session brings. */
size_t tb_toolbox_brought(const struct tb_session *session);
/* It is on the session's list, which may have been told anew since it was found. */
bool tb_toolbox_brings(const struct tb_session *session, const struct tb_brought *brought);
