/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "core/limits.h"
#include "driver/cdp/page/expression.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/page_internal.h"

/* A frame that moves to another process stays the same frame: its parent's target says "detached"
 * with the reason "swap", and a target with the frame's id appears. */

static const char world_name[] = "tabard";

struct tb_cdp_frame *tb_cdp_frame_new(struct tb_cdp_page *page, struct tb_cdp_target *target,
                                      struct tb_cdp_frame *parent, struct tb_str id)
{
    struct tb_cdp_frame *frame = TB_NEW(struct tb_cdp_frame);
    frame->page = page;
    frame->target = target;
    frame->parent = parent;
    if (page->frames.count >= TB_CDP_FRAMES_MAX || !tb_cdp_target_id_copy(frame->id, id) ||
        tb_map_add(&page->frames, tb_str_of(frame->id), frame) < 0) {
        tb_free(frame);
        return NULL;
    }
    frame->number = parent ? ++page->last_number : 0;
    frame->document = 1;
    return frame;
}

void tb_cdp_frame_free(struct tb_cdp_frame *frame)
{
    tb_free(frame->url);
    tb_free(frame->origin);
    tb_free(frame);
}

bool tb_cdp_frame_move(struct tb_cdp_frame *frame, struct tb_cdp_target *target)
{
    if (!frame->parent && target != frame->page->target) {
        return false;
    }
    frame->document += target != frame->target; /* before that is told */
    frame->target = target;
    return true;
}

uint64_t tb_cdp_frame_document(const struct tb_cdp_frame *frame)
{
    return frame->document;
}

static bool lives_in(const struct tb_cdp_frame *frame, const struct tb_cdp_target *target)
{
    return frame->parent && frame->target == target;
}

static bool has_left(const struct tb_cdp_frame *frame, const struct tb_cdp_frame *top,
                     const struct tb_cdp_target *target)
{
    while (frame && frame != top && !(target && lives_in(frame, target))) {
        frame = frame->parent;
    }
    return frame != NULL;
}

/* All that is below `top`, or below a frame of the target, leaves. They are taken out of the table
 * before the first call fails: nobody who is told of it can find them any more. */
static void remove_below(struct tb_cdp_page *page, struct tb_cdp_frame *top, bool with_top,
                         const struct tb_cdp_target *target)
{
    size_t count = 0;
    struct tb_cdp_frame **left = TB_NEW_ARRAY(struct tb_cdp_frame *, page->frames.count + 1);
    MAP_FOREACH(slot, &page->frames) {
        if (has_left(slot->value, top, target) && (with_top || slot->value != top)) {
            left[count++] = slot->value;
        }
    }
    struct tb_err err;
    tb_fail(&err, TB_E_ELEMENT_STALE, "the frame has left the page");
    for (size_t i = 0; i < count; i++) {
        tb_map_remove(&page->frames, tb_str_of(left[i]->id));
    }
    for (size_t i = 0; i < count; i++) {
        tb_cdp_page_calls_fail(left[i], &err);
    }
    for (size_t i = 0; i < count; i++) {
        tb_cdp_chooser_on_left(left[i]);
        tb_cdp_frame_free(left[i]);
    }
    tb_free(left);
}

void tb_cdp_frame_remove(struct tb_cdp_frame *frame)
{
    struct tb_cdp_page *page = frame->page;
    remove_below(page, frame, true, NULL);
    tb_cdp_nav_check(page);
}

void tb_cdp_frames_drop_below(struct tb_cdp_frame *frame)
{
    if (frame->page->frames.count > 1) {
        remove_below(frame->page, frame, false, NULL);
    }
}

void tb_cdp_frames_drop_target(struct tb_cdp_page *page, const struct tb_cdp_target *target)
{
    remove_below(page, NULL, true, target);
    tb_cdp_nav_check(page);
}

void tb_cdp_frame_set_url(struct tb_cdp_frame *frame, struct tb_str url)
{
    tb_free(frame->url);
    frame->url = tb_str_dup(tb_str_sub(url, 0, TB_URL_KEPT));
    tb_cdp_inner_look(frame);
}

static struct tb_cdp_frame *find(const struct tb_cdp_page *page, struct tb_str id)
{
    return id.len ? tb_map_get(&page->frames, id) : NULL;
}

void tb_cdp_frames_take_tree(struct tb_cdp_target *target, const struct cJSON *tree,
                             struct tb_cdp_frame *parent)
{
    const struct cJSON *info = tb_json_get(tree, "frame");
    struct tb_cdp_page *page = target->page;
    struct tb_cdp_frame *frame = find(page, tb_json_text(info, "id"));
    if (!frame && parent) {
        frame = tb_cdp_frame_new(page, target, parent, tb_json_text(info, "id"));
    }
    if (!frame) {
        return;
    }
    struct tb_str loader = tb_json_text(info, "loaderId");
    if (!tb_str_eq_cstr(loader, frame->loader_id) &&
        tb_cdp_target_id_copy(frame->loader_id, loader)) {
        frame->reached = TB_REACHED_COMMIT;
    }
    tb_cdp_frame_set_url(frame, tb_json_text(info, "url"));
    JSON_ARRAY_FOREACH(child, tb_json_get(tree, "childFrames")) {
        tb_cdp_frames_take_tree(target, child, frame);
    }
}

void tb_cdp_frame_on_attached(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *parent = find(target->page, tb_json_text(params, "parentFrameId"));
    struct tb_cdp_frame *frame = find(target->page, tb_json_text(params, "frameId"));
    if (frame) {
        if (tb_cdp_frame_move(frame, target)) { /* back from another process */
            frame->world[0] = '\0';
            frame->main_world[0] = '\0';
        }
    } else if (parent) {
        tb_cdp_frame_new(target->page, target, parent, tb_json_text(params, "frameId"));
    }
}

void tb_cdp_frame_on_detached(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = find(target->page, tb_json_text(params, "frameId"));
    if (!frame || !frame->parent) {
        return;
    }
    if (!tb_str_eq_cstr(tb_json_text(params, "reason"), "swap")) {
        tb_cdp_frame_remove(frame);
    } else if (frame->target == target) {
        frame->world[0] = '\0';
        frame->main_world[0] = '\0';
    }
}

void tb_cdp_frame_on_world(struct tb_cdp_target *target, const struct cJSON *params)
{
    const struct cJSON *context = tb_json_get(params, "context");
    const struct cJSON *more = tb_json_get(context, "auxData");
    struct tb_cdp_frame *frame = find(target->page, tb_json_text(more, "frameId"));
    bool is_default = false;
    tb_json_bool(tb_json_get(more, "isDefault"), &is_default);
    if (!frame || !tb_cdp_frame_move(frame, target)) { /* only where it lives does it get worlds */
        return;
    }
    struct tb_str unique = tb_json_text(context, "uniqueId");
    if (is_default) {
        tb_cdp_target_id_copy(frame->main_world, unique);
        tb_free(frame->origin);
        frame->origin = tb_str_dup(tb_str_sub(tb_json_text(context, "origin"), 0, TB_URL_KEPT));
    } else if (tb_str_eq_cstr(tb_json_text(context, "name"), world_name) &&
               tb_cdp_target_id_copy(frame->world, unique)) {
        tb_cdp_page_calls_go_on(frame);
    }
}

/* When the session of one frame ends, Chromium (seen with 156) stops to report the worlds of other
 * frames in the same process, and to run our script there. Both are switched on anew. */
void tb_cdp_frame_mend(struct tb_cdp_frame *frame)
{
    struct tb_cdp_target *target = frame->target;
    char params[64];
    if (frame->mended || !frame->page->ready) {
        return;
    }
    frame->mended = true;
    int len = snprintf(params, sizeof(params), "{\"identifier\":\"%u\"}", target->script++);
    tb_cdp_target_post(target, "Page.removeScriptToEvaluateOnNewDocument",
                       (struct tb_str){params, (size_t)len});
    tb_cdp_target_post(target, "Page.addScriptToEvaluateOnNewDocument",
                       tb_buf_str(frame->page->peer->script_params));
    tb_cdp_target_post(target, "Runtime.disable", (struct tb_str){NULL, 0});
    tb_cdp_target_post(target, "Runtime.enable", (struct tb_str){NULL, 0});
}

void tb_cdp_frame_on_world_gone(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_str unique = tb_json_text(params, "executionContextUniqueId");
    MAP_FOREACH(slot, &target->page->frames) {
        struct tb_cdp_frame *frame = slot->value;
        if (tb_str_eq_cstr(unique, frame->world)) {
            frame->world[0] = '\0';
        } else if (tb_str_eq_cstr(unique, frame->main_world)) {
            frame->main_world[0] = '\0';
        }
    }
}

void tb_cdp_frame_on_worlds_gone(struct tb_cdp_target *target, const struct cJSON *params)
{
    (void)params;
    MAP_FOREACH(slot, &target->page->frames) {
        struct tb_cdp_frame *frame = slot->value;
        if (frame->target == target) {
            frame->world[0] = '\0';
            frame->main_world[0] = '\0';
        }
    }
}

struct tb_cdp_frame *tb_cdp_page_frame_by_number(struct tb_cdp_page *page, unsigned number)
{
    MAP_FOREACH(slot, &page->frames) {
        struct tb_cdp_frame *frame = slot->value;
        if (frame->number == number) {
            return frame;
        }
    }
    return NULL;
}

struct tb_cdp_frame *tb_cdp_page_frame_by_id(struct tb_cdp_page *page, struct tb_str frame_id)
{
    return find(page, frame_id);
}

unsigned tb_cdp_frame_number(const struct tb_cdp_frame *frame)
{
    return frame->number;
}

const char *tb_cdp_frame_owner(const struct tb_cdp_frame *frame)
{
    return frame->owner;
}

void tb_cdp_frame_set_owner(struct tb_cdp_frame *frame, struct tb_str ref)
{
    snprintf(frame->owner, sizeof(frame->owner), "%.*s", TB_STR_ARG(ref));
}

struct tb_str tb_cdp_frame_url(const struct tb_cdp_frame *frame)
{
    return tb_str_of(frame->url);
}

const char *tb_cdp_frame_world(const struct tb_cdp_frame *frame)
{
    return frame->world;
}

/* One of no address has none, and so has a frame whose sandbox gives it one of its own: "://". */
static struct tb_str origin_of(const struct tb_cdp_frame *frame)
{
    struct tb_str origin = frame->main_world[0] ? tb_str_of(frame->origin) : (struct tb_str){0};
    struct tb_str rest = origin;
    tb_str_cut(&rest, '/');
    return tb_str_eq_cstr(rest, "/") ? (struct tb_str){0} : origin;
}

bool tb_cdp_frame_has_strangers(const struct tb_cdp_frame *frame)
{
    struct tb_str origin = origin_of(frame);
    MAP_FOREACH(slot, &frame->page->frames) {
        const struct tb_cdp_frame *other = slot->value;
        if (other != frame && (!origin.len || !tb_str_eq(origin, origin_of(other)))) {
            return true;
        }
    }
    return false;
}

size_t tb_cdp_frame_origins(const struct tb_cdp_frame *frame, struct tb_str *ret_origins,
                            size_t max)
{
    size_t count = 0;
    if (!frame->world[0]) {
        return 0;
    }
    for (; frame; frame = frame->parent) {
        if (count == max) {
            return 0;
        }
        ret_origins[count++] = origin_of(frame);
    }
    return count;
}

void tb_cdp_frame_note_secret(struct tb_cdp_frame *frame)
{
    frame->secretive = frame->document;
}

struct tb_cdp_frame *tb_cdp_page_secret_frame(const struct tb_cdp_page *page, unsigned from)
{
    struct tb_cdp_frame *first = NULL;
    MAP_FOREACH(slot, &page->frames) {
        struct tb_cdp_frame *frame = slot->value;
        bool has = frame->secretive && frame->secretive == frame->document;
        if (has && frame->number >= from && (!first || frame->number < first->number)) {
            first = frame;
        }
    }
    return first;
}

void tb_cdp_frame_lift_veil(struct tb_cdp_frame *frame)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
    tb_cdp_expression_put(&(struct tb_cdp_expression){.text = TB_STR("tabard.veil({on: false})"),
                                                      .world = frame->world},
                          &params);
    tb_cdp_target_post(frame->target, "Runtime.evaluate", tb_buf_str(&params));
}

const char *tb_cdp_frame_session_id(const struct tb_cdp_frame *frame)
{
    return frame->target->session_id;
}
