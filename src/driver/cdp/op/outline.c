/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/outline.h"

#include "core/limits.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "proto/json_string.h"

enum phase {
    MAIN,
    HOSTS,
    FRAMES,
};

void tb_cdp_outline_init(struct tb_cdp_outline *outline, struct tb_cdp_work *work, const char *args,
                         int64_t max_chars)
{
    outline->work = work;
    outline->args = args;
    outline->max_chars = max_chars;
    tb_buf_init(&outline->page, TB_RESULT_TEXT_MAX);
    tb_cdp_shadow_roots_init(&outline->roots);
    tb_cdp_outline_frames_init(&outline->frames);
}

void tb_cdp_outline_fini(struct tb_cdp_outline *outline)
{
    tb_buf_fini(&outline->page);
    tb_cdp_shadow_roots_fini(&outline->roots);
}

void tb_cdp_outline_start(struct tb_cdp_outline *outline)
{
    struct tb_cdp_work *work = outline->work;
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(work, outline->args, false, &args);
    args.len--; /* the closing brace */
    tb_buf_printf(&args, "%s\"max_chars\":%lld}", args.len > 1 ? "," : "",
                  (long long)outline->max_chars);
    outline->phase = MAIN;
    tb_cdp_refs_continue(work, &args);
    tb_cdp_work_call(work, "snapshot", tb_buf_str(&args));
}

static bool on_main(struct tb_cdp_outline *outline, struct tb_str value)
{
    enum {
        TEXT,
        URL,
        TITLE,
        FRAMES_INSIDE,
        HOSTS_INSIDE,
        TRUNCATED,
        LAST,
        COUNT
    };
    static const char *const keys[COUNT] = {"text",  "url",       "title", "frames",
                                            "hosts", "truncated", "last"};
    struct tb_cdp_work *work = outline->work;
    struct tb_result *result = work->op->result;
    struct tb_str values[COUNT];
    tb_cdp_pick_all(value, keys, COUNT, values);
    struct tb_str hosts = values[HOSTS_INSIDE];
    if (hosts.len && !tb_str_eq_cstr(hosts, "0") && !outline->asked_roots) {
        outline->asked_roots = true;
        outline->phase = HOSTS;
        tb_cdp_shadow_roots_start(&outline->roots, work);
        return false;
    }
    tb_buf_clear(&outline->page);
    tb_buf_printf(&outline->page, "{\"url\":%.*s,\"title\":%.*s}", TB_STR_ARG(values[URL]),
                  TB_STR_ARG(values[TITLE]));
    tb_cdp_refs_note_text(work, values[LAST]);
    tb_buf_clear(&result->text);
    if (tb_json_string_decode(values[TEXT], &result->text) < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the outline is larger than %d KB",
                         TB_RESULT_TEXT_MAX / TB_KIB);
        return false;
    }
    tb_json_set_bool(result->data, "truncated", tb_str_eq_cstr(values[TRUNCATED], "true"));
    outline->phase = FRAMES;
    return !tb_cdp_outline_frames_start(&outline->frames, work, values[FRAMES_INSIDE],
                                        outline->max_chars);
}

bool tb_cdp_outline_step(struct tb_cdp_outline *outline, struct tb_str value)
{
    switch (outline->phase) {
    case MAIN:
        return on_main(outline, value);
    case HOSTS:
        if (tb_cdp_shadow_roots_step(&outline->roots, outline->work, value)) {
            tb_cdp_outline_start(outline);
        }
        return false;
    default:
        return tb_cdp_outline_frames_step(&outline->frames, outline->work, value);
    }
}

bool tb_cdp_outline_bears(const struct tb_cdp_outline *outline, const struct tb_err *err)
{
    bool gone = err->code == TB_E_PROTOCOL || err->code == TB_E_ELEMENT_STALE ||
                err->code == TB_E_ELEMENT_NOT_FOUND || err->code == TB_E_INTERNAL ||
                err->code == TB_E_PAGE_CRASHED || err->code == TB_E_TIMEOUT;
    return outline->phase != MAIN && gone;
}
