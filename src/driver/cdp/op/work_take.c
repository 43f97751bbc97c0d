/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/work_take.h"

#include "base/utf8.h"
#include "core/args.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/element.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"

enum {
    INSTEAD_MAX = 250,
    CHANGES_MAX =
        2000, /* bytes of what is told in parts: by each field of a form, or a moment later */
};

bool tb_cdp_work_wants_changes(const struct tb_cdp_work *work)
{
    return tb_args_flag(work->op->args, "snapshot", true);
}

void tb_cdp_work_watch_changes(struct tb_cdp_work *work)
{
    const struct cJSON *data = work->op->result->data;
    struct tb_str before = tb_json_text(data, "changes");
    work->changes.watched = !work->frame;
    work->changes.kept = before.len;
    work->changes.more_kept = 0;
    tb_json_int(tb_json_get(data, "more_changes"), &work->changes.more_kept);
}

bool tb_cdp_work_is_missed(const struct cJSON *reply)
{
    bool hit = true;
    tb_json_bool(tb_json_get(reply, "hit"), &hit);
    return !hit || tb_json_get(reply, "missed") || tb_json_get(reply, "strayed");
}

bool tb_cdp_work_is_away(const struct cJSON *told, struct tb_str *ret_where, int64_t *ret_keys)
{
    *ret_keys = 0;
    tb_json_int(tb_json_get(told, "keys"), ret_keys);
    return tb_json_str(tb_json_get(told, "away"), ret_where);
}

/* The page removed or moved what was pressed before the browser made a click of it. */
static void take_unclicked(struct tb_cdp_work *work, const struct cJSON *reply)
{
    const struct cJSON *told = tb_json_get(reply, "unclicked");
    bool removed = false;
    struct tb_str instead = {NULL, 0};
    if (!work->clicks || !told) {
        return;
    }
    struct cJSON *unclicked = tb_json_new_object();
    tb_json_bool(tb_json_get(told, "removed"), &removed);
    tb_json_set_bool(unclicked, "removed", removed);
    if (tb_json_str(tb_json_get(told, "instead"), &instead) && instead.len) {
        tb_json_set_str(unclicked, "instead", instead);
    }
    tb_json_set_take(work->op->result->data, "unclicked", unclicked);
}

/* Where the drop went, as the document says that got it; see page/aim.js. */
bool tb_cdp_work_take_drop(struct tb_cdp_work *work, const struct cJSON *told)
{
    struct cJSON *data = work->op->result->data;
    struct tb_str instead = {NULL, 0};
    bool dropped;
    if (!tb_json_bool(tb_json_get(told, "dropped"), &dropped)) {
        return false;
    }
    tb_json_set_bool(data, "dropped", dropped);
    if (tb_json_str(tb_json_get(told, "instead"), &instead)) {
        instead = tb_str_sub(instead, 0, INSTEAD_MAX);
        tb_json_set_str(data, "instead", tb_str_sub(instead, 0, tb_utf8_prefix(instead)));
    }
    return true;
}

static int64_t count_lines(struct tb_str text)
{
    int64_t count = 0;
    while (text.len) {
        tb_str_cut(&text, '\n');
        count++;
    }
    return count;
}

/* Behind those that were told before, or with `again` in place of those that came last. */
static void add_changes(struct tb_cdp_work *work, const struct cJSON *changes, bool again)
{
    struct cJSON *data = work->op->result->data;
    struct tb_str text = {NULL, 0};
    struct tb_str before = {NULL, 0};
    int64_t more = 0;
    int64_t more_before = 0;
    TB_AUTO(tb_buf_fini) struct tb_buf all = TB_BUF(SIZE_MAX);
    tb_json_str(tb_json_get(changes, "text"), &text);
    tb_json_int(tb_json_get(changes, "more"), &more);
    tb_json_str(tb_json_get(data, "changes"), &before);
    tb_json_int(tb_json_get(data, "more_changes"), &more_before);
    if (again) {
        before = tb_str_sub(before, 0, work->changes.kept);
        more_before = work->changes.more_kept;
    } else if (!changes) {
        return;
    }
    if (before.len && before.len + text.len > CHANGES_MAX) {
        more += count_lines(text);
        text = (struct tb_str){NULL, 0};
    }
    tb_buf_append_str(&all, before);
    tb_buf_append_cstr(&all, before.len && text.len ? "\n" : "");
    tb_buf_append_str(&all, text);
    tb_json_set_str(data, "changes", tb_buf_str(&all));
    tb_json_set_int(data, "more_changes", more + more_before);
}

/* Not all presses of a double click found the element there. */
static void take_stopped(struct tb_cdp_work *work, const struct cJSON *reply)
{
    const struct cJSON *told = tb_json_get(reply, "stopped");
    if (told) {
        tb_json_set_take(work->op->result->data, "stopped", tb_json_dup(told));
    }
}

/* Fields that the browser found not valid; see page/validity.js. */
static void take_invalid(struct tb_cdp_work *work, const struct cJSON *told)
{
    bool unsent = false;
    int64_t more = 0;
    if (!told) {
        return;
    }
    struct cJSON *fields = tb_json_new_array();
    JSON_ARRAY_FOREACH(item, tb_json_get(told, "fields")) {
        struct cJSON *field = tb_json_new_object();
        TB_AUTO(tb_buf_fini) struct tb_buf element = TB_BUF(SIZE_MAX);
        tb_cdp_element_print(item, &element);
        tb_json_set_str(field, "element", tb_buf_str(&element));
        tb_json_set_str(field, "message", tb_args_text(item, "message", ""));
        tb_json_append_take(fields, field);
    }
    struct cJSON *invalid = tb_json_new_object();
    tb_json_bool(tb_json_get(told, "unsent"), &unsent);
    tb_json_int(tb_json_get(told, "more"), &more);
    tb_json_set_bool(invalid, "unsent", unsent);
    tb_json_set_take(invalid, "fields", fields);
    tb_json_set_int(invalid, "more", more);
    tb_json_set_take(work->op->result->data, "invalid", invalid);
}

void tb_cdp_work_take_changes(struct tb_cdp_work *work, const struct cJSON *reply)
{
    struct cJSON *data = work->op->result->data;
    bool titled = false;
    bool unfocused = false;
    bool hit = false;
    tb_cdp_refs_note(work, reply);
    tb_json_int(tb_json_get(reply, "told"), &work->session->heard);
    tb_json_bool(tb_json_get(reply, "hit"), &hit);
    work->expected.struck = work->expected.struck || hit;
    take_unclicked(work, reply);
    if (tb_json_bool(tb_json_get(reply, "unfocused"), &unfocused) && unfocused) {
        tb_json_set_bool(data, "unfocused", true);
    }
    take_stopped(work, reply);
    if (!tb_cdp_work_wants_changes(work)) {
        return;
    }
    add_changes(work, tb_json_get(reply, "changes"), tb_json_get(reply, "again") != NULL);
    take_invalid(work, tb_json_get(reply, "invalid"));
    if (tb_json_bool(tb_json_get(reply, "titled"), &titled) && titled) {
        tb_json_set_bool(data, "titled", true);
    }
    if (tb_json_get(reply, "grown")) {
        tb_json_set_bool(data, "grown", true);
    }
}

void tb_cdp_work_known(struct tb_cdp_work *work, struct tb_str url, struct tb_str title)
{
    const struct tb_cdp_page *page = tb_cdp_work_page(work);
    tb_json_set_str(work->op->result->data, "url", url);
    tb_json_set_str(work->op->result->data, "title", title);
    work->here.known = true;
    work->here.mark = page ? tb_cdp_page_navigation_mark(page) : 0;
}

void tb_cdp_work_take(struct tb_cdp_work *work, const struct cJSON *reply)
{
    struct tb_str url = {NULL, 0};
    struct tb_str title = {NULL, 0};
    tb_json_str(tb_json_get(reply, "url"), &url);
    tb_json_str(tb_json_get(reply, "title"), &title);
    tb_cdp_work_known(work, url, title);
    tb_cdp_work_take_changes(work, reply);
}
