/* SPDX-License-Identifier: Apache-2.0 */
/* What the front itself offers beside the tools of src/tool: resources, templates of resources,
 * prompts, and tools that are about the protocol and not about a session (only the conformance
 * fixtures have such). A provider is a set of const tables; each table ends with an empty row or is
 * NULL. A new resource or prompt is one row. */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "base/str.h"
#include "core/driver.h"

struct tb_mcp_req;

struct tb_mcp_native {
    const char *name;
    const char *description;
    const char *schema;     /* JSON */
    const char *capability; /* that the client must have declared (modern); NULL: none */
    bool unlisted;
    const char *fixed; /* members of the result, for a tool that always says the same; else NULL */
    /* Answers now or later. `args` is NULL when there were none. */
    void (*run)(struct tb_mcp_req *req, const struct cJSON *args);
};

/* `uri` may have one part in braces; it is a template then, and `arg` is what stands in its place.
 */
struct tb_mcp_resource {
    const char *uri;
    const char *name;
    const char *title;
    const char *description;
    const char *type;   /* MIME */
    enum tb_op_kind op; /* the operation that gives the content; none for what is no session's */
    void (*read)(struct tb_mcp_req *req, const struct tb_mcp_resource *resource, struct tb_str uri,
                 struct tb_str arg);
};

struct tb_mcp_prompt_arg {
    const char *name;
    const char *description;
    bool required;
    bool names_session; /* completed from the live sessions */
};

struct tb_mcp_prompt {
    const char *name;
    const char *title;
    const char *description;
    const struct tb_mcp_prompt_arg *args;
    const char *text; /* one user message; {name} stands for an argument */
    /* For what is more than one text; all required arguments are there. NULL: `text`. */
    void (*get)(struct tb_mcp_req *req, const struct cJSON *args);
};

struct tb_mcp_provider {
    const struct tb_mcp_native *tools;
    const struct tb_mcp_resource *resources;
    const struct tb_mcp_prompt *prompts;
};

/* The product's own. */
extern const struct tb_mcp_provider tb_mcp_product;
