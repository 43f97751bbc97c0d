/* SPDX-License-Identifier: Apache-2.0 */
/* A tool: what an agent can call. It is one const struct in one file under tool/, and one row in
 * tool/tools.def.
 *
 * Most tools are an operation of the session's driver with a table of arguments: `op` names it and
 * `print` turns its result into text for the model. A tool that is no operation (list_sessions,
 * execute_sequence) has `run` instead and ends by tb_call_finish. A tool knows no front and no
 * driver. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/args.h"
#include "core/driver.h"
#include "core/limits.h"
#include "core/result.h"

struct tb_call;
struct tb_caller;
struct tb_core;

enum tb_tool_flags {
    TB_TOOL_READ_ONLY = 1, /* changes nothing: no confirmation needed, may be repeated */
    TB_TOOL_IDEMPOTENT = 2,
    TB_TOOL_DESTRUCTIVE = 4, /* may submit, delete, pay */
    TB_TOOL_OPEN_WORLD = 8,
    TB_TOOL_NO_SESSION =
        16, /* acts on no session of its own; its sessionId, if any, is its own business */
    TB_TOOL_MAY_CREATE = 32, /* makes the conversation's session when there is none */
    TB_TOOL_BESIDE =
        64, /* with NO_SESSION: it acts on the session that is meant, beside its queue */
};

struct tb_tool {
    const char *name;
    const char *title;
    const char *description;
    const char *group; /* NULL: in the default set; else opt-in */
    unsigned flags;
    /* Own arguments; sessionId and timeout_ms are added to every tool that acts on a session. */
    const struct tb_param *params;
    enum tb_op_kind op;
    /* Arguments that fit the table but not each other: before a session is looked for or made.
     * NULL: all that fit are right. */
    int (*check)(const struct tb_core *core, const struct tb_caller *caller,
                 const struct cJSON *args, struct tb_err *err);
    void (*run)(struct tb_call *call);
    /* Appends the text of a good result; NULL: result->text as it is. */
    void (*print)(const struct tb_result *result, struct tb_buf *out);
    /* Appends what is to be said beside a text that is data, which a program may read: it stands
     * apart from it. NULL: nothing. */
    void (*print_aside)(const struct tb_result *result, struct tb_buf *out);
    /* Appends, to the words of a failure, what was done before it. NULL: nothing ever is. */
    void (*print_partial)(const struct tb_result *result, struct tb_buf *out);
};

enum {
    TB_TOOL_PARAMS_MAX = 32,
};

extern const char *const tb_session_aliases[];
extern const char *const tb_timeout_aliases[];

#define TB_PARAM_ROW_SESSION                                            \
    {                                                                   \
        .name = "sessionId", .type = TB_PARAM_TEXT,                     \
        .help = "Target session ID. If omitted, uses current session.", \
        .aliases = tb_session_aliases                                   \
    }

#define TB_PARAM_ROW_TIMEOUT                                                                   \
    {                                                                                          \
        .name = "timeout_ms", .type = TB_PARAM_INT, .help = "", .aliases = tb_timeout_aliases, \
        .min = 1, .max = TB_CALL_TIMEOUT_MAX_MS                                                \
    }

/* All arguments of a tool: its own and, if it acts on a session, sessionId and timeout_ms, unless
 * it has rows of these names itself. The result is a table as tb_args_check and tb_args_schema want
 * it; the words are borrowed from the tool. */
void tb_tool_params(const struct tb_tool *tool, struct tb_param ret_params[TB_TOOL_PARAMS_MAX]);

/* A toolset gives tools other names, arguments and forms: octopus, wdio. One row per tool. */
struct tb_face {
    const char *name;
    const char *description;       /* NULL: the tool's */
    const struct tb_param *params; /* NULL: the tool's */
    const struct tb_tool *tool;
    /* From this face's arguments to the tool's; NULL: the same. The result is the caller's. */
    struct cJSON *(*map_args)(const struct cJSON *args);
    /* Appends the text of a result, good or bad. NULL: the tool's form. *ret_is_error may be
     * changed. This text is all there is: a picture is not sent beside it. */
    void (*print)(const struct cJSON *args, const struct tb_result *result, struct tb_buf *out,
                  bool *ret_is_error);
    const char *const *aliases; /* NULL-ended other names, accepted but not listed; NULL: none */
};

struct tb_toolset {
    const char *name;
    const struct tb_face
        *faces; /* ended by a NULL name; NULL for the default set: all tools as they are */
    const char *instructions; /* for the agent; under 2 KB */
    bool brief;               /* a conversation's session ends when it is idle, and at an age */
    /* Documented so: of several elements that fit, the first is meant, and it is waited for as long
     * as the call may last. */
    bool lenient;
    /* It has no tool for dialogs, so one that is in the way of a call is dismissed. */
    bool dismisses;
};

/* What agents call it that have learnt another server. */
struct tb_foreign {
    const char *name; /* without the prefixes that such servers use */
    const struct tb_tool *tool;
    const char *args; /* the arguments to use; NULL: it is the same tool by another name */
};

/* All tools and toolsets of a build; tool/tools.c has the product's. */
struct tb_kit {
    const struct tb_tool *const *tools; /* ended by NULL, always in the same order */
    const struct tb_toolset *const
        *toolsets;                 /* ended by NULL; the first is the default one, without faces */
    const struct tb_tool *starter; /* of those the one that starts a session; NULL: there is none */
    const struct tb_foreign *foreigns;
    size_t foreign_count;
};

/* Each gives NULL when there is none of that name. */
const struct tb_tool *tb_tool_find(const struct tb_kit *kit, struct tb_str name);
const struct tb_toolset *tb_toolset_find(const struct tb_kit *kit, struct tb_str name);
/* By name or alias. Always NULL for the default toolset, which has no faces. */
const struct tb_face *tb_face_find(const struct tb_toolset *toolset, struct tb_str name);
/* The first tool that does this operation and nothing else. */
const struct tb_tool *tb_tool_by_op(const struct tb_kit *kit, enum tb_op_kind op);
/* True if the group of `tool` is wanted: it has none, or `groups` ("files, pdf", or "all") has it.
 */
bool tb_tool_wanted(const struct tb_tool *tool, struct tb_str groups);
