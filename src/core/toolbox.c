/* SPDX-License-Identifier: Apache-2.0 */
#include "core/toolbox.h"

#include "core/limits.h"
#include "core/view.h"

static bool find_static(const struct tb_core *core, const struct tb_view *view, struct tb_str name,
                        struct tb_entry *ret_entry)
{
    *ret_entry = (struct tb_entry){0};
    if (view) {
        return tb_view_find(view, name, &ret_entry->tool, &ret_entry->face);
    }
    ret_entry->tool = tb_tool_find(core->toolbox.kit, name);
    return ret_entry->tool != NULL;
}

int tb_toolbox_find(const struct tb_core *core, const struct tb_caller *caller, struct tb_str name,
                    struct tb_entry *ret_entry, struct tb_err *err)
{
    if (find_static(core, caller->view, name, ret_entry)) {
        return 0;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf why = TB_BUF(TB_KIB);
    if (err) {
        tb_view_print_missing(core->toolbox.kit, caller->view, name, &why);
    }
    return tb_fail(err, TB_E_UNKNOWN_TOOL, "%.*s", TB_STR_ARG(tb_buf_str(&why)));
}

void tb_toolbox_each(const struct tb_core *core, const struct tb_caller *caller,
                     void (*fn)(const struct tb_entry *entry, void *user), void *user)
{
    const struct tb_view *view = caller->view;
    const struct tb_face *face = view ? view->toolset->faces : NULL;
    for (; face && face->name; face++) {
        fn(&(struct tb_entry){.tool = face->tool, .face = face}, user);
    }
    for (size_t i = 0; core->toolbox.kit->tools[i]; i++) {
        if (!view || view->has[i]) {
            fn(&(struct tb_entry){.tool = core->toolbox.kit->tools[i]}, user);
        }
    }
}
