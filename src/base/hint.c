/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hint.h"

#include <stdbool.h>

/* The longest form of a hint, and then some. */
enum {
    FORM_MAX = 1024,
};

static bool put_name(struct tb_str name, tb_hint_name_fn *name_of, const void *reader,
                     struct tb_buf *out)
{
    if (!name_of) {
        tb_buf_append_str(out, name);
        return true;
    }
    const char *known = name_of(name, reader);
    tb_buf_append_cstr(out, known ? known : "");
    return known != NULL;
}

/* False: the reader lacks something that it names. */
static bool put_form(struct tb_str form, tb_hint_name_fn *name_of, const void *reader,
                     struct tb_buf *out)
{
    while (form.len) {
        tb_buf_append_str(out, tb_str_cut(&form, '{'));
        if (form.ptr && !put_name(tb_str_cut(&form, '}'), name_of, reader, out)) {
            return false;
        }
    }
    return true;
}

void tb_hint_print(const char *hint, tb_hint_name_fn *name_of, const void *reader,
                   struct tb_buf *out)
{
    struct tb_str rest = tb_str_of(hint);
    while (rest.len) {
        TB_AUTO(tb_buf_fini) struct tb_buf form = TB_BUF(FORM_MAX);
        if (put_form(tb_str_cut(&rest, '|'), name_of, reader, &form)) {
            tb_buf_append_str(out, tb_buf_str(&form));
            return;
        }
    }
}
