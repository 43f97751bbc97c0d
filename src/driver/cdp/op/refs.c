/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/refs.h"

#include <ctype.h>

#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/work.h"

enum {
    REF_MAX = 64, /* with what may stand around it */
};

void tb_cdp_refs_continue(struct tb_cdp_work *work, struct tb_buf *args)
{
    args->len--; /* the closing brace */
    if (args->len > 1) {
        tb_buf_append_char(args, ',');
    }
    if (work->frame) {
        tb_buf_printf(args, "\"prefix\":\"f%u\",", work->frame);
    }
    tb_buf_printf(args, "\"first_ref\":%lld}", (long long)work->session->use.last_ref + 1);
}

void tb_cdp_refs_note(struct tb_cdp_work *work, const struct cJSON *reply)
{
    tb_cdp_tab_user_note_ref(&work->session->use, tb_json_get(reply, "last"));
}

void tb_cdp_refs_note_text(struct tb_cdp_work *work, struct tb_str last)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(last);
    tb_cdp_tab_user_note_ref(&work->session->use, json);
}

/* From the mark of the ref on in a line of an outline, where names stand in quotes; the target
 * itself if it has none. See page/refs.js. */
static struct tb_str skip_to_mark(struct tb_str target)
{
    bool quoted = false;
    for (size_t i = 0; i < target.len; i++) {
        struct tb_str rest = tb_str_sub(target, i, target.len);
        if (!quoted && tb_str_starts(rest, TB_STR("[ref="))) {
            return tb_str_cut(&rest, ']');
        }
        quoted = quoted != (target.ptr[i] == '"');
        i += target.ptr[i] == '\\';
    }
    return target;
}

/* Without regard to case; empty if it is too long for a ref. */
static struct tb_str lowered(struct tb_str text, char room[REF_MAX])
{
    size_t len = text.len < REF_MAX ? text.len : 0;
    for (size_t i = 0; i < len; i++) {
        room[i] = (char)tolower((unsigned char)text.ptr[i]);
    }
    return (struct tb_str){room, len};
}

unsigned tb_cdp_ref_frame(struct tb_str target)
{
    char room[REF_MAX];
    target = lowered(skip_to_mark(tb_str_trim(target)), room);
    static const char *const openings[] = {"@", "[ref=", "ref=", "[aria-ref=", "aria-ref="};
    for (size_t i = 0; i < TB_COUNT(openings); i++) {
        struct tb_str opening = tb_str_of(openings[i]);
        if (tb_str_starts(target, opening)) {
            target = tb_str_sub(target, opening.len, target.len);
            break;
        }
    }
    if (target.len && target.ptr[target.len - 1] == ']') {
        target.len--;
    }
    if (!target.len || target.ptr[0] != 'f') {
        return 0;
    }
    struct tb_str rest = tb_str_sub(target, 1, target.len);
    struct tb_str digits = tb_str_cut(&rest, 'e');
    uint64_t frame;
    uint64_t element;
    bool is_ref = tb_str_to_u64(digits, &frame) && tb_str_to_u64(rest, &element);
    return is_ref && frame < UINT32_MAX ? (unsigned)frame : 0;
}
