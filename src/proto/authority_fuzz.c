/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "proto/authority.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* What is accepted can be written down again from its parts, and is the same text: nothing was
 * skipped or read in two ways. */
static void check_authority(struct tb_str text)
{
    struct tb_authority parts;
    if (!tb_authority_parse(text, &parts)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf again = TB_BUF(text.len + 1);
    tb_buf_append_cstr(&again, parts.ipv6 ? "[" : "");
    tb_buf_append_str(&again, parts.host);
    tb_buf_append_cstr(&again, parts.ipv6 ? "]" : "");
    if (parts.has_port) {
        tb_buf_printf(&again, ":%u", (unsigned)parts.port);
    }
    require(tb_str_eq(tb_buf_str(&again), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str text = {(const char *)data, size};
    check_authority(text);
    struct tb_str scheme;
    struct tb_authority parts;
    if (tb_origin_parse(text, &scheme, &parts)) {
        struct tb_str rest = tb_str_sub(text, scheme.len + 3, text.len);
        require(tb_str_starts(tb_str_sub(text, scheme.len, text.len), TB_STR("://")));
        require(tb_authority_parse(rest, &parts));
        check_authority(rest);
    }
    return 0;
}
