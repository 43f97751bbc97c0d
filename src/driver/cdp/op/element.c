/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/element.h"

#include <ctype.h>

#include "base/quote.h"

/* A role that is more than a word was made up by the page. */
static bool is_word(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!isalnum((unsigned char)text.ptr[i]) && text.ptr[i] != '-') {
            return false;
        }
    }
    return true;
}

static void put_words(struct tb_str role, struct tb_str name, struct tb_buf *out)
{
    if (is_word(role)) {
        tb_buf_append_str(out, tb_str_sub(role, 0, TB_CDP_ROLE_MAX));
    } else {
        tb_quote(role, TB_CDP_ROLE_MAX, out);
    }
    if (name.len) {
        tb_buf_append_cstr(out, role.len ? " " : "");
        tb_quote(name, TB_CDP_NAME_MAX, out);
    }
}

void tb_cdp_element_print(const struct cJSON *reply, struct tb_buf *out)
{
    struct tb_str role = {NULL, 0};
    struct tb_str name = {NULL, 0};
    int64_t matches = 0;
    if (!tb_json_str(tb_json_get(reply, "role"), &role) || !role.len) {
        tb_json_str(tb_json_get(reply, "tag"), &role);
    }
    tb_json_str(tb_json_get(reply, "name"), &name);
    if (role.len || name.len) {
        put_words(role, name, out);
    }
    if (tb_json_int(tb_json_get(reply, "matches"), &matches)) {
        tb_buf_printf(out, " (%lld match, used the first)", (long long)matches);
    }
}
