/* SPDX-License-Identifier: Apache-2.0 */
#include "core/url.h"

#include <string.h>

#include "core/limits.h"

enum {
    SCHEME_MAX = 32,
};

static size_t find(struct tb_str text, const char *any)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr(any, text.ptr[i])) {
            return i;
        }
    }
    return text.len;
}

void tb_url_shown(struct tb_str url, struct tb_buf *out)
{
    const struct tb_str slashes = TB_STR("://");
    size_t colon = find(url, ":");
    struct tb_str rest = tb_str_sub(url, colon, url.len);
    if (tb_str_eq_cstr(url, "about:blank")) {
        tb_buf_append_str(out, url);
        return;
    }
    if (!rest.len || colon > SCHEME_MAX) {
        return;
    }
    if (!tb_str_starts(rest, slashes)) {
        tb_buf_append_str(out, tb_str_sub(url, 0, colon + 1));
        return;
    }
    tb_buf_append_str(out, tb_str_sub(url, 0, colon + slashes.len));
    rest = tb_str_sub(rest, slashes.len, rest.len);
    rest = tb_str_sub(rest, 0, find(rest, "?#"));
    /* Whatever stands before the last @ of the authority is user-info, however it is written. */
    size_t host = find(rest, "/\\");
    while (host > 0 && rest.ptr[host - 1] != '@') {
        host--;
    }
    rest = tb_str_sub(rest, host, rest.len);
    tb_buf_append_str(out, tb_str_sub(rest, 0, TB_URL_SHOWN_MAX));
}
