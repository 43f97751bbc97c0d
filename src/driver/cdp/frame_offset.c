/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "driver/cdp/page_internal.h"

/* The box of an iframe is told in the coordinates of the process that holds it, so there is one
 * question for each process on the way up: where is the element that owns the frame? */

struct offset {
    struct tb_ask ask; /* in its page */
    struct tb_page *page;
    char frame_id[TB_TARGET_ID_SIZE]; /* the frame whose owner is asked for */
    double x;
    double y;
    int64_t deadline_ms;
    tb_frame_offset_fn *fn;
    struct tb_page_cmd *cmd;  /* under way; NULL: none */
    struct tb_deferred later; /* the answer when there is nothing to ask */
};

static void forget(struct tb_ask *ask)
{
    struct offset *offset = TB_CONTAINER(ask, struct offset, ask);
    if (offset->cmd) {
        tb_page_cmd_drop(offset->cmd);
    }
    tb_ask_end(ask);
    tb_deferred_cancel(&offset->later);
    tb_free(offset);
}

static void end(struct offset *offset, const struct tb_err *err)
{
    tb_frame_offset_fn *fn = offset->fn;
    void *user = offset->ask.user;
    double x = offset->x;
    double y = offset->y;
    forget(&offset->ask);
    fn(err ? err->code : 0, x, y, err, user);
}

static void send(struct offset *offset, struct tb_frame *frame, const char *method,
                 struct tb_str params, tb_cdp_reply_fn *fn)
{
    offset->cmd = tb_page_cmd_new(frame->target, method, params, offset->deadline_ms, fn, offset);
}

static void step(struct offset *offset);

static void on_box(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct offset *offset = user;
    struct tb_err stale;
    offset->cmd = NULL;
    TB_AUTO(tb_json_free) struct cJSON *json = code == 0 ? tb_json_parse(result) : NULL;
    const struct cJSON *corner = tb_json_first(tb_json_get(tb_json_get(json, "model"), "content"));
    double x;
    double y;
    if (code == 0 && tb_json_num(corner, &x) && tb_json_num(tb_json_next(corner), &y)) {
        offset->x += x;
        offset->y += y;
        step(offset);
        return;
    }
    if (code == 0 || code == TB_E_PROTOCOL) {
        tb_fail(&stale, TB_E_ELEMENT_NOT_READY, "the frame is not visible");
        err = &stale;
    }
    end(offset, err);
}

/* The frame of the process that `frame` is in, which has no parent there. */
static struct tb_frame *local_top(struct tb_frame *frame)
{
    while (frame->parent && frame->parent->target == frame->target) {
        frame = frame->parent;
    }
    return frame;
}

static void on_owner(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct offset *offset = user;
    struct tb_frame *frame = tb_page_frame_by_id(offset->page, tb_str_of(offset->frame_id));
    offset->cmd = NULL;
    TB_AUTO(tb_json_free) struct cJSON *json = code == 0 ? tb_json_parse(result) : NULL;
    int64_t node;
    if (code == 0 && frame && frame->parent &&
        tb_json_int(tb_json_get(json, "backendNodeId"), &node)) {
        struct tb_frame *holder = frame->parent;
        char params[64];
        int len = snprintf(params, sizeof(params), "{\"backendNodeId\":%lld}", (long long)node);
        tb_target_id_copy(offset->frame_id, tb_str_of(local_top(holder)->id));
        send(offset, holder, "DOM.getBoxModel", (struct tb_str){params, (size_t)len}, on_box);
        return;
    }
    struct tb_err stale;
    if (code == 0 || code == TB_E_PROTOCOL) {
        tb_fail(&stale, TB_E_ELEMENT_STALE, "the frame has left the page");
        err = &stale;
    }
    end(offset, err);
}

static void step(struct offset *offset)
{
    struct tb_frame *frame = tb_page_frame_by_id(offset->page, tb_str_of(offset->frame_id));
    struct tb_err err;
    char params[128];
    if (!frame) {
        tb_fail(&err, TB_E_ELEMENT_STALE, "the frame has left the page");
        end(offset, &err);
    } else if (!frame->parent) {
        end(offset, NULL);
    } else {
        int len = snprintf(params, sizeof(params), "{\"frameId\":\"%s\"}", frame->id);
        send(offset, frame->parent, "DOM.getFrameOwner", (struct tb_str){params, (size_t)len},
             on_owner);
    }
}

static void run_later(struct tb_deferred *job)
{
    end(TB_CONTAINER(job, struct offset, later), NULL);
}

void tb_frame_offset(struct tb_frame *frame, int64_t deadline_ms, tb_frame_offset_fn *fn,
                     void *user)
{
    struct offset *offset = TB_NEW(struct offset);
    offset->page = frame->page;
    offset->deadline_ms = deadline_ms;
    offset->fn = fn;
    offset->ask.user = user;
    offset->ask.forget = forget;
    tb_target_id_copy(offset->frame_id, tb_str_of(frame->id));
    tb_ask_begin(&offset->ask, &frame->page->offsets, tb_page_session(frame->page));
    tb_list_init(&offset->later.link);
    offset->later.run = run_later;
    if (frame->parent) {
        step(offset);
    } else {
        tb_loop_defer(frame->page->browser->cdp->loop, &offset->later);
    }
}

void tb_frame_offsets_end(struct tb_page *page, const struct tb_err *err)
{
    while (!tb_list_empty(&page->offsets)) {
        end(TB_CONTAINER(page->offsets.next, struct offset, ask.place), err);
    }
}
