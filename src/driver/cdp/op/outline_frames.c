/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/outline_frames.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/expression.h"
#include "proto/json_iter.h"
#include "proto/json_string.h"

enum phase {
    ELEMENT, /* the iframe as a remote object */
    NODE,    /* and which frame is behind it */
    OUTLINE, /* what that frame shows */
};

enum {
    CHARS_LEAST = 500,
    FRAMES_MS = 3000, /* for all frames together: those that hang must not cost us the page */
    FRAME_LEAST_MS = 100,
    INDENT = 2,
};

#define GROUP  "tabard-frames"
#define SILENT "… no answer from this frame; it may still be loading"

void tb_cdp_outline_frames_init(struct tb_cdp_outline_frames *frames)
{
    memset(frames, 0, sizeof(*frames));
}

static bool is_ref(struct tb_str ref)
{
    for (size_t i = 0; i < ref.len; i++) {
        char c = ref.ptr[i];
        if (!(c >= '0' && c <= '9') && c != 'e' && c != 'f') {
            return false;
        }
    }
    return ref.len > 0 && ref.len < TB_OUTLINE_REF_SIZE;
}

static void add_refs(struct tb_cdp_outline_frames *frames, struct tb_str refs)
{
    struct tb_json_iter iter = tb_json_iter_of(refs);
    struct tb_json_item item;
    while (frames->count < TB_OUTLINE_FRAMES_MAX && tb_json_iter_next(&iter, &item)) {
        struct tb_str ref = tb_str_sub(item.value.text, 1, item.value.text.len - 1);
        if (item.value.type == TB_JSON_STRING && is_ref(ref)) {
            snprintf(frames->refs[frames->count++], TB_OUTLINE_REF_SIZE, "%.*s", TB_STR_ARG(ref));
        }
    }
}

static int64_t left_ms(const struct tb_cdp_outline_frames *frames, const struct tb_cdp_work *work)
{
    return frames->by_ms - tb_loop_now_ms(tb_cdp_session_loop(work->session));
}

/* A line without anything below it would look like an empty frame. */
static void say(const struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                const char *why)
{
    tb_cdp_outline_splice(&work->op->result->text, frames->refs[frames->at], tb_str_of(why));
}

static struct tb_cdp_frame *frame_of(struct tb_cdp_page *page, const char *ref)
{
    return page ? tb_cdp_page_frame_by_number(page, tb_cdp_ref_frame(tb_str_of(ref))) : NULL;
}

/* The iframes that were asked for would be held until their documents go. Each target is told,
 * once; what it answers late came before that. */
static void let_go(const struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    const char *told[TB_OUTLINE_FRAMES_MAX] = {NULL};
    for (size_t i = 0; i < frames->count; i++) {
        const struct tb_cdp_frame *frame = frame_of(page, frames->refs[i]);
        const char *session = frame ? tb_cdp_frame_session_id(frame) : NULL;
        size_t at = 0;
        while (session && told[at] && strcmp(told[at], session) != 0) {
            at++;
        }
        if (session && !told[at] && tb_cdp_page_conn(page)) {
            told[at] = session;
            tb_cdp_post(tb_cdp_page_conn(page), session, "Runtime.releaseObjectGroup",
                        TB_STR("{\"objectGroup\":\"" GROUP "\"}"));
        }
    }
}

static bool end(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work)
{
    let_go(frames, work);
    work->frame = frames->home;
    return true;
}

/* The time is over: what there is has to do. */
static bool end_late(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work)
{
    for (; frames->at < frames->count; frames->at++) {
        say(frames, work, SILENT);
    }
    return end(frames, work);
}

/* To the target of the frame of the operation. The deadline is that of the message alone: by that
 * of the operation, one that is cancelled is told from one whose time is over. */
static void send(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work, const char *method,
                 struct tb_str params)
{
    int64_t deadline_ms = work->deadline_ms;
    work->deadline_ms = frames->by_ms;
    tb_cdp_work_frame_send(work, method, params);
    work->deadline_ms = deadline_ms;
}

/* A frame may have half of the time that is left, so that one that hangs leaves something to those
 * behind it; the last may have all. */
static int64_t share_ms(const struct tb_cdp_outline_frames *frames, const struct tb_cdp_work *work)
{
    int64_t rest_ms = left_ms(frames, work);
    int64_t half_ms = rest_ms / 2 > FRAME_LEAST_MS ? rest_ms / 2 : FRAME_LEAST_MS;
    return half_ms < rest_ms && frames->at + 1 < frames->count ? half_ms : rest_ms;
}

static void call(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work, struct tb_str args)
{
    int64_t deadline_ms = work->deadline_ms;
    work->deadline_ms = tb_loop_now_ms(tb_cdp_session_loop(work->session)) +
                        share_ms(frames, work) - TB_CDP_WORK_GRACE_MS; /* which is added to it */
    tb_cdp_work_call(work, "snapshot", args);
    work->deadline_ms = deadline_ms;
}

/* Asks for the next iframe; true: there is none left. */
static bool go_on(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work)
{
    if (left_ms(frames, work) <= 0) {
        return end_late(frames, work);
    }
    for (; frames->at < frames->count; frames->at++) {
        const char *ref = frames->refs[frames->at];
        struct tb_cdp_frame *frame = frame_of(tb_cdp_work_page(work), ref);
        if (!frame || !tb_cdp_frame_world(frame)[0]) {
            continue;
        }
        char words[64];
        int len = snprintf(words, sizeof(words), "tabard.element({target:'%s'})", ref);
        TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
        tb_cdp_expression_put(&(struct tb_cdp_expression){{words, (size_t)len},
                                                          tb_cdp_frame_world(frame),
                                                          .group = GROUP},
                              &params);
        frames->phase = ELEMENT;
        work->frame = tb_cdp_frame_number(frame);
        send(frames, work, "Runtime.evaluate", tb_buf_str(&params));
        return false;
    }
    return end(frames, work);
}

static bool skip(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work)
{
    frames->at++;
    return go_on(frames, work);
}

static bool skip_saying(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                        const char *why)
{
    say(frames, work, why);
    return skip(frames, work);
}

bool tb_cdp_outline_frames_start(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                                 struct tb_str refs, int64_t max_chars)
{
    frames->home = work->frame;
    frames->max_chars = max_chars;
    int64_t most_ms = tb_cdp_work_left_ms(work) / 4 * 3; /* the rest is for what comes after it */
    frames->by_ms = tb_loop_now_ms(tb_cdp_session_loop(work->session)) +
                    (most_ms < FRAMES_MS ? most_ms : FRAMES_MS);
    add_refs(frames, refs);
    return frames->count && !go_on(frames, work);
}

static bool on_element(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                       struct tb_str value)
{
    struct tb_str id = tb_cdp_pick(tb_cdp_pick(value, "result"), "objectId");
    if (!id.len || id.len > 100) {
        return skip(frames, work);
    }
    char params[192];
    int len = snprintf(params, sizeof(params), "{\"objectId\":%.*s}", TB_STR_ARG(id));
    frames->phase = NODE;
    send(frames, work, "DOM.describeNode", (struct tb_str){params, (size_t)len});
    return false;
}

static bool on_node(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                    struct tb_str value)
{
    struct tb_str id = tb_cdp_pick(tb_cdp_pick(value, "node"), "frameId");
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame =
        page && id.len > 2 ? tb_cdp_page_frame_by_id(page, tb_str_sub(id, 1, id.len - 1)) : NULL;
    int64_t room = frames->max_chars - (int64_t)work->op->result->text.len;
    if (!frame) {
        return skip_saying(frames, work, SILENT);
    }
    if (room < CHARS_LEAST) {
        tb_json_set_bool(work->op->result->data, "truncated", true);
        return skip_saying(frames, work,
                           "… omitted because it is too long; ask for this frame by its ref");
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_KIB);
    tb_buf_printf(&args, "{\"interactive\":%s,\"max_chars\":%lld}",
                  tb_args_flag(work->op->args, "interactive", false) ? "true" : "false",
                  (long long)room);
    work->frame = tb_cdp_frame_number(frame);
    tb_cdp_frame_set_owner(frame, tb_str_of(frames->refs[frames->at]));
    frames->phase = OUTLINE;
    tb_cdp_refs_continue(work, &args);
    call(frames, work, tb_buf_str(&args));
    return false;
}

/* The end of the line that has this ref, and how far it is indented. */
static bool find_line(const struct tb_buf *outline, const char *ref, size_t *ret_end,
                      size_t *ret_indent)
{
    char mark[TB_OUTLINE_REF_SIZE + 8];
    snprintf(mark, sizeof(mark), "[ref=%s]", ref);
    const char *text = (const char *)outline->data;
    const char *found = outline->len ? memmem(text, outline->len, mark, strlen(mark)) : NULL;
    if (!found) {
        return false;
    }
    size_t at = (size_t)(found - text);
    const char *end = memchr(found, '\n', outline->len - at);
    const char *before = memrchr(text, '\n', at);
    size_t begin = before ? (size_t)(before - text) + 1 : 0;
    *ret_end = end ? (size_t)(end - text) : outline->len;
    *ret_indent = 0;
    while (text[begin + *ret_indent] == ' ') {
        (*ret_indent)++;
    }
    return true;
}

bool tb_cdp_outline_splice(struct tb_buf *outline, const char *ref, struct tb_str inside)
{
    size_t end;
    size_t indent;
    if (!inside.len || !find_line(outline, ref, &end, &indent)) {
        return false;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf whole = TB_BUF(outline->max);
    int rc = tb_buf_append_str(&whole, tb_str_sub(tb_buf_str(outline), 0, end));
    struct tb_str rest = inside;
    while (rest.len && rc == 0) {
        struct tb_str line = tb_str_cut(&rest, '\n');
        rc = tb_buf_printf(&whole, "\n%*s%.*s", (int)(indent + INDENT), "", TB_STR_ARG(line));
    }
    rc =
        rc < 0 ? rc : tb_buf_append_str(&whole, tb_str_sub(tb_buf_str(outline), end, outline->len));
    if (rc < 0) {
        return false;
    }
    struct tb_buf old = *outline;
    *outline = whole;
    whole = old;
    return true;
}

static bool on_outline(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                       struct tb_str value)
{
    if (!value.len) {
        return skip_saying(frames, work, SILENT);
    }
    TB_AUTO(tb_buf_fini) struct tb_buf inside = TB_BUF(TB_RESULT_TEXT_MAX);
    struct tb_result *result = work->op->result;
    tb_cdp_refs_note_text(work, tb_cdp_pick(value, "last"));
    if (tb_json_string_decode(tb_cdp_pick(value, "text"), &inside) == 0 &&
        tb_cdp_outline_splice(&result->text, frames->refs[frames->at], tb_buf_str(&inside))) {
        add_refs(frames, tb_cdp_pick(value, "frames"));
        if (tb_str_eq_cstr(tb_cdp_pick(value, "truncated"), "true")) {
            tb_json_set_bool(result->data, "truncated", true);
        }
    }
    return skip(frames, work);
}

bool tb_cdp_outline_frames_step(struct tb_cdp_outline_frames *frames, struct tb_cdp_work *work,
                                struct tb_str value)
{
    if (!value.len && left_ms(frames, work) <= 0) {
        return end_late(frames, work);
    }
    switch (frames->phase) {
    case ELEMENT:
        return on_element(frames, work, value);
    case NODE:
        return on_node(frames, work, value);
    default:
        return on_outline(frames, work, value);
    }
}
