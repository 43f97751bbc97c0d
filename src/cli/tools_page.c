/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tools_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/tool.h"
#include "tool/tools.h"

static const char opening[] =
    "<!-- Written by tools/gen-docs.sh from src/tool. Change it there, then run `make docs`. -->\n"
    "# Tools\n\n"
    "What an agent can call. `tabard tools --groups all` lists the same on a terminal, `tabard tools --json` gives the schemas.\n\n"
    "Every tool that acts on a session takes `sessionId` (a name or an id; default: the current session) and `timeout_ms`,\n"
    "the time for the whole call, including the wait for the session. `target` is a ref from "
    "`browser_snapshot` (`e12`) or a\n"
    "selector: CSS, `//xpath`, `text=Log in`, `role=button[name=\"Log in\"]`, `aria/Log in`, `~accessibility id`, `id=main`,\n"
    "or WebdriverIO's `a=Log in` (whole text) and `a*=Log` (part of it), which `browser_elements` returns. Playwright's `css=a`,\n"
    "`a:has-text(\"Log\")`, `.card >> nth=0` and `getByRole('button', { name: 'Log in' })` work, too.\n"
    "A text or a name may be a regular expression: `text=/log (in|on)/i`, `role=button[name=/^log/i]`.\n"
    "Selectors and texts are looked for in the page, its shadow roots and frames of its own origin; what is in a frame of another\n"
    "site has refs in `browser_snapshot`, and `browser_extract` leaves it out and says so.\n"
    "Numbers, flags, arrays and objects may come as text (`\"5\"`, `\"true\"`, `\"[…]\"`), and text as a number or a flag (`5`, `true`).\n"
    "An unknown argument is refused, but for `element`, which some clients send beside a target and which is ignored. A result is\n"
    "text, for some tools with a picture; [ERRORS.md](ERRORS.md) lists the errors. `browser_navigate` and `execute_sequence`\n"
    "start a session for the conversation when there is none; the other tools need one.\n\n"
    "Tools of a group are available on request: `?groups=files,pdf` on the address of `/mcp`, "
    "`tabard mcp --groups files,pdf`,\n"
    "or the setting `mcp.groups`; `all` means all of them.\n\n"
    "Downloads, uploads and PDFs lie in a directory of their session on the daemon's machine, which `browser_downloads` names. They are\n"
    "deleted when the session ends, also when it is closed: copy what you need from there first.\n\n"
    "Besides tools there are resources (`tabard://sessions`, and `tabard://session/{id}/` with `snapshot`, `screenshot` or\n"
    "`downloads`) and prompts for work with several sessions ([sub-agents.md](sub-agents.md)); `resources/list`,\n"
    "`resources/templates/list` and `prompts/list` describe them.\n\n"
    "The toolsets `octopus` and `wdio` offer the same browsers in other forms: `octopus` six tools that answer in JSON, `wdio`\n"
    "the tools of WebdriverIO's MCP server. They are for agents and prompts that were written for those systems.\n"
    "`tabard tools --toolset wdio` lists them.\n";

/* A vertical bar would end the cell of a table. */
static void put_cell(const char *text, struct tb_buf *out)
{
    for (; *text; text++) {
        if (*text == '|') {
            tb_buf_append_char(out, '\\');
        }
        tb_buf_append_char(out, *text);
    }
}

static void put_words(const char *const *words, const char *before, struct tb_buf *out)
{
    for (; words && *words; words++) {
        tb_buf_printf(out, "%s`%s`", before, *words);
        before = ", ";
    }
}

static void put_fields(const struct tb_param *fields, struct tb_buf *out)
{
    const char *before = " of ";
    for (; fields && fields->name; fields++) {
        tb_buf_printf(out, "%s`%s`%s", before, fields->name, fields->required ? "" : "?");
        before = ", ";
    }
}

static void put_type(const struct tb_param *row, struct tb_buf *out)
{
    static const char *const names[] = {
        [TB_PARAM_TEXT] = "text",     [TB_PARAM_INT] = "whole number",
        [TB_PARAM_NUMBER] = "number", [TB_PARAM_FLAG] = "flag",
        [TB_PARAM_CHOICE] = "one of", [TB_PARAM_TEXTS] = "array of text",
        [TB_PARAM_OBJECT] = "object", [TB_PARAM_OBJECTS] = "array of objects",
        [TB_PARAM_ANY] = "anything",
    };
    tb_buf_append_cstr(out, names[row->type]);
    put_words(row->choices, " ", out);
    put_fields(row->fields, out);
    if (row->max > row->min) {
        tb_buf_printf(out, ", %" PRId64 " to %" PRId64, row->min, row->max);
    }
}

static void put_param(const struct tb_param *row, struct tb_buf *out)
{
    tb_buf_printf(out, "| `%s`%s | ", row->name, row->required ? " (required)" : "");
    put_type(row, out);
    tb_buf_append_cstr(out, " | ");
    if (row->fallback) {
        tb_buf_printf(out, "`%s`", row->fallback);
    }
    tb_buf_append_cstr(out, " | ");
    put_cell(row->help, out);
    put_words(row->aliases, row->help[0] ? "; also called " : "also called ", out);
    tb_buf_append_cstr(out, " |\n");
}

static void put_params(const struct tb_param *params, struct tb_buf *out)
{
    if (!params || !params->name) {
        return;
    }
    tb_buf_append_cstr(out, "\n| argument | type | default | |\n| --- | --- | --- | --- |\n");
    for (const struct tb_param *row = params; row->name; row++) {
        put_param(row, out);
    }
}

static void put_tool(const struct tb_tool *tool, struct tb_buf *out)
{
    tb_buf_printf(out, "\n### %s\n\n%s", tool->name, tool->description);
    size_t len = strlen(tool->description);
    if (len && tool->description[len - 1] != '.') {
        tb_buf_append_char(out, '.');
    }
    tb_buf_append_cstr(out, tool->flags & TB_TOOL_READ_ONLY ? " Changes nothing.\n" : "\n");
    put_params(tool->params, out);
}

static void put_face(const struct tb_face *face, struct tb_buf *out)
{
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    const char *before = "";
    tb_tool_params(face->tool, rows);
    const struct tb_param *params = face->params ? face->params : rows;
    tb_buf_printf(out, "| `%s`", face->name);
    put_words(face->aliases, ", ", out);
    tb_buf_printf(out, " | `%s` | ", face->tool->name);
    for (; params && params->name; params++) {
        tb_buf_printf(out, "%s`%s`%s", before, params->name, params->required ? "" : "?");
        before = ", ";
    }
    tb_buf_append_cstr(out, " |\n");
}

static void put_toolset(const struct tb_toolset *toolset, struct tb_buf *out)
{
    tb_buf_printf(
        out,
        "\n## Toolset %s\n\nAt `/mcp/%s`, or `tabard mcp --toolset %s`. `?` marks optional "
        "arguments.\n\n"
        "| name | tool behind it | arguments |\n| --- | --- | --- |\n",
        toolset->name, toolset->name, toolset->name);
    for (const struct tb_face *face = toolset->faces; face->name; face++) {
        put_face(face, out);
    }
}

void tb_tools_page(struct tb_buf *out)
{
    const char *group = NULL;
    tb_buf_append_cstr(out, opening);
    tb_buf_append_cstr(out, "\n## Always available\n");
    for (const struct tb_tool *const *tool = tb_kit.tools; *tool; tool++) {
        const char *name = (*tool)->group;
        if (name && (!group || strcmp(group, name) != 0)) {
            tb_buf_printf(out, "\n## Group %s\n", name);
        }
        group = name;
        put_tool(*tool, out);
    }
    for (const struct tb_toolset *const *set = tb_kit.toolsets; *set; set++) {
        if ((*set)->faces) {
            put_toolset(*set, out);
        }
    }
}
