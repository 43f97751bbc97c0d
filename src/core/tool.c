/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tool.h"

#include <assert.h>
#include <string.h>

#include "core/limits.h"

static const char *const session_aliases[] = {"session_id", "session", NULL};
static const char *const timeout_aliases[] = {"timeout", "timeoutMs", NULL};

static const struct tb_param common[] = {
    {.name = "sessionId",
     .type = TB_PARAM_TEXT,
     .help = "Target session ID. If omitted, uses current session.",
     .aliases = session_aliases},
    {.name = "timeout_ms",
     .type = TB_PARAM_INT,
     .help = "",
     .aliases = timeout_aliases,
     .min = 1,
     .max = TB_CALL_TIMEOUT_MAX_MS},
    {.name = NULL},
};

static bool has(const struct tb_param *params, const char *name)
{
    for (; params && params->name; params++) {
        if (strcmp(params->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void tb_tool_params(const struct tb_tool *tool, struct tb_param ret_params[TB_TOOL_PARAMS_MAX])
{
    size_t count = 0;
    for (const struct tb_param *row = tool->params; row && row->name; row++) {
        assert(count < TB_TOOL_PARAMS_MAX - TB_COUNT(common));
        ret_params[count++] = *row;
    }
    for (const struct tb_param *row = common; row->name; row++) {
        if (!(tool->flags & TB_TOOL_NO_SESSION) && !has(tool->params, row->name)) {
            ret_params[count++] = *row;
        }
    }
    ret_params[count] = (struct tb_param){.name = NULL};
}
