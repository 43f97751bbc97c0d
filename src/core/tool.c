/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tool.h"

#include <assert.h>
#include <string.h>

const char *const tb_session_aliases[] = {"session_id", "session", NULL};
const char *const tb_timeout_aliases[] = {"timeout", "timeoutMs", NULL};

static const struct tb_param common[] = {
    TB_PARAM_ROW_SESSION,
    TB_PARAM_ROW_TIMEOUT,
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

static bool is_called(const struct tb_face *face, struct tb_str name)
{
    if (tb_str_eq_cstr(name, face->name)) {
        return true;
    }
    for (const char *const *alias = face->aliases; alias && *alias; alias++) {
        if (tb_str_eq_cstr(name, *alias)) {
            return true;
        }
    }
    return false;
}

const struct tb_face *tb_face_find(const struct tb_toolset *toolset, struct tb_str name)
{
    for (const struct tb_face *face = toolset->faces; face && face->name; face++) {
        if (is_called(face, name)) {
            return face;
        }
    }
    return NULL;
}

const struct tb_tool *tb_tool_find(const struct tb_kit *kit, struct tb_str name)
{
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
        if (tb_str_eq_cstr(name, (*tool)->name)) {
            return *tool;
        }
    }
    return NULL;
}

const struct tb_toolset *tb_toolset_find(const struct tb_kit *kit, struct tb_str name)
{
    for (const struct tb_toolset *const *toolset = kit->toolsets; *toolset; toolset++) {
        if (tb_str_eq_cstr(name, (*toolset)->name)) {
            return *toolset;
        }
    }
    return NULL;
}

const struct tb_tool *tb_tool_by_op(const struct tb_kit *kit, enum tb_op_kind op)
{
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
        if ((*tool)->op == op && !(*tool)->run) {
            return *tool;
        }
    }
    return NULL;
}

bool tb_tool_wanted(const struct tb_tool *tool, struct tb_str groups)
{
    return !tool->group || tb_str_list_has(groups, tb_str_of(tool->group)) ||
           tb_str_list_has(groups, TB_STR("all"));
}
