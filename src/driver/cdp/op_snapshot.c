/* SPDX-License-Identifier: Apache-2.0 */
/* MAIN --> done, for most pages. A closed shadow root can only be opened by the browser, and a
 * frame of another site only be read by its own script, so:
 *
 *   MAIN --hosts to ask for--> HOSTS --> ROOTS --> ADOPTING --> MAIN again, once
 *   MAIN --frames inside--> OWNERS (which frame is behind each iframe?) --> FRAMES --> done
 *
 * The outline of a frame is put below the line of its iframe. */
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"
#include "driver/cdp/outline_diff.h"
#include "driver/cdp/outline_frames.h"
#include "driver/cdp/refs.h"
#include "driver/cdp/shadow_roots.h"
#include "proto/json_string.h"

enum state {
    MAIN,
    HOSTS,
    FRAMES,
};

enum {
    CHARS = 20000,
};

struct snapshot {
    struct tb_opwork work;
    struct tb_shadow_roots roots;
    bool asked_roots;
    struct tb_outline_frames frames;
    struct tb_buf page; /* {"url":...,"title":...} */
};

static void ask(struct snapshot *snapshot)
{
    struct tb_opwork *work = &snapshot->work;
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
    tb_opwork_args(work, "target depth interactive find", false, &args);
    args.len--; /* the closing brace */
    tb_buf_printf(&args, "%s\"max_chars\":%lld}", args.len > 1 ? "," : "",
                  (long long)tb_args_int(work->op->args, "max_chars", CHARS));
    work->state = MAIN;
    tb_refs_continue(work, &args);
    tb_opwork_call(work, "snapshot", tb_buf_str(&args));
}

/* Only a look at the whole page can be compared with the next one. */
static bool is_whole(const struct cJSON *args)
{
    static const char *const parts[] = {"target", "depth", "interactive", "find"};
    for (size_t i = 0; i < TB_COUNT(parts); i++) {
        if (tb_args_has(args, parts[i])) {
            return false;
        }
    }
    return true;
}

static void compare(struct snapshot *snapshot)
{
    struct tb_opwork *work = &snapshot->work;
    struct tb_result *result = work->op->result;
    struct tb_tab_memory *tab = tb_memory_tab(tb_memory_of(work->session), work->page_id);
    bool asked = tb_args_flag(work->op->args, "diff", false);
    bool wanted = asked && tab->outline.len;
    TB_AUTO(tb_buf_fini) struct tb_buf diff = TB_BUF(TB_RESULT_TEXT_MAX);
    int changes =
        wanted ? tb_outline_diff(tb_buf_str(&tab->outline), tb_buf_str(&result->text), &diff) : -1;
    tb_buf_clear(&tab->outline);
    tb_buf_append_str(&tab->outline, tb_buf_str(&result->text));
    if (changes < 0 || diff.len > result->text.len) {
        /* The outline itself says it in fewer words. */
        tb_json_set_take(result->data, "undiffed",
                         asked ? tb_json_new_str(wanted ? TB_STR("most") : TB_STR("first")) : NULL);
        return;
    }
    tb_json_set_bool(result->data, "diff", true);
    if (changes == 0) {
        tb_json_set_bool(result->data, "unchanged", true);
    }
    tb_buf_clear(&result->text);
    tb_buf_append_str(&result->text, tb_buf_str(&diff));
}

static void finish(struct snapshot *snapshot)
{
    struct tb_opwork *work = &snapshot->work;
    if (is_whole(work->op->args)) {
        compare(snapshot);
    } else if (tb_args_flag(work->op->args, "diff", false)) {
        tb_json_set_cstr(work->op->result->data, "undiffed", "part");
    }
    tb_opwork_done_at(work, tb_buf_str(&snapshot->page));
}

static void on_main(struct snapshot *snapshot, struct tb_str value)
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
    struct tb_opwork *work = &snapshot->work;
    struct tb_result *result = work->op->result;
    struct tb_str values[COUNT];
    tb_pick_all(value, keys, COUNT, values);
    struct tb_str hosts = values[HOSTS_INSIDE];
    if (hosts.len && !tb_str_eq_cstr(hosts, "0") && !snapshot->asked_roots) {
        snapshot->asked_roots = true;
        work->state = HOSTS;
        tb_shadow_roots_start(&snapshot->roots, work);
        return;
    }
    tb_buf_clear(&snapshot->page);
    tb_buf_printf(&snapshot->page, "{\"url\":%.*s,\"title\":%.*s}", TB_STR_ARG(values[URL]),
                  TB_STR_ARG(values[TITLE]));
    tb_refs_note_text(work, values[LAST]);
    tb_buf_clear(&result->text);
    if (tb_json_string_decode(values[TEXT], &result->text) < 0) {
        tb_opwork_fail(work, TB_E_TOO_LARGE, "the outline is larger than %d KB",
                       TB_RESULT_TEXT_MAX / TB_KIB);
        return;
    }
    tb_json_set_bool(result->data, "truncated", tb_str_eq_cstr(values[TRUNCATED], "true"));
    if (tb_outline_frames_start(&snapshot->frames, work, values[FRAMES_INSIDE])) {
        work->state = FRAMES;
    } else {
        finish(snapshot);
    }
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    struct snapshot *snapshot = TB_CONTAINER(work, struct snapshot, work);
    switch (work->state) {
    case MAIN:
        on_main(snapshot, value);
        break;
    case HOSTS:
        if (tb_shadow_roots_step(&snapshot->roots, work, value)) {
            ask(snapshot);
        }
        break;
    default:
        if (tb_outline_frames_step(&snapshot->frames, work, value)) {
            finish(snapshot);
        }
        break;
    }
}

/* What cannot be looked into is left as it is: the rest of the page is worth having. */
static bool failed(struct tb_opwork *work, const struct tb_err *err)
{
    bool gone = err->code == TB_E_PROTOCOL || err->code == TB_E_ELEMENT_STALE ||
                err->code == TB_E_ELEMENT_NOT_FOUND || err->code == TB_E_INTERNAL ||
                err->code == TB_E_PAGE_CRASHED || err->code == TB_E_TIMEOUT;
    if (work->state == MAIN || !gone) {
        return false;
    }
    step(work, (struct tb_str){NULL, 0});
    return true;
}

static void fini(struct tb_opwork *work)
{
    struct snapshot *snapshot = TB_CONTAINER(work, struct snapshot, work);
    tb_buf_fini(&snapshot->page);
    tb_shadow_roots_fini(&snapshot->roots);
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct snapshot),
                                           .step = step,
                                           .failed = failed,
                                           .fini = fini};

void tb_cdp_op_snapshot(struct tb_driver_session *session, struct tb_op *op)
{
    struct snapshot *snapshot = tb_opwork_new(&kind, session, op);
    if (!snapshot) {
        return;
    }
    tb_buf_init(&snapshot->page, TB_RESULT_TEXT_MAX);
    tb_shadow_roots_init(&snapshot->roots);
    tb_outline_frames_init(&snapshot->frames);
    if (tb_opwork_frame(&snapshot->work, tb_args_text(op->args, "target", ""))) {
        ask(snapshot);
    }
}
