/* SPDX-License-Identifier: Apache-2.0 */
/* What is in view:  CAPTURE --> end.   The whole page:  METRICS --> CAPTURE --> end.
 * An element:       BOX --> [OUTWARD through the frames around it] --> METRICS --> CAPTURE --> end.
 * Where secrets were typed, they are covered before it is captured: VEIL.
 * The size of the picture is read from the picture, so nothing is asked for that. */
#include <string.h>

#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/outward.h"
#include "driver/cdp/op/veil.h"
#include "driver/cdp/op/work.h"
#include "driver/clip.h"
#include "driver/launch.h"

enum state {
    BOX,
    OUTWARD,
    METRICS,
    VEIL,
    CAPTURE,
};

enum {
    MAX_PX = 1568,
    QUALITY = 80,
    PARAMS_MAX = 1024,
};

struct screenshot {
    struct tb_cdp_work work;
    struct tb_cdp_veil veil;
    struct tb_cdp_outward corner; /* of an element, on its way out of its frame */
    struct tb_clip clip;          /* width 0: what is in view, as it is */
    double ratio;                 /* pixels of the screen a CSS pixel */
    int64_t max_px;
    int64_t width; /* of what is in view, scroll bars included */
    int64_t height;
};

static struct tb_str format_of(const struct tb_cdp_work *work)
{
    return tb_args_text(work->op->args, "format", "jpeg");
}

static void put_clip(const struct tb_clip *clip, struct tb_json_writer *json)
{
    const struct {
        const char *key;
        double value;
    } members[] = {{"x", clip->x},
                   {"y", clip->y},
                   {"width", clip->width},
                   {"height", clip->height},
                   {"scale", clip->scale}};
    tb_json_key(json, "clip");
    tb_json_object_open(json);
    for (size_t i = 0; i < TB_COUNT(members); i++) {
        tb_json_member_num(json, members[i].key, members[i].value);
    }
    tb_json_object_close(json);
}

static void take(struct screenshot *shot)
{
    struct tb_cdp_work *work = &shot->work;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "format", format_of(work));
    if (!tb_str_eq_cstr(format_of(work), "png")) {
        tb_json_member_int(&json, "quality", tb_args_int(work->op->args, "quality", QUALITY));
    }
    tb_json_member_bool(&json, "optimizeForSpeed", true);
    if (shot->clip.width > 0) {
        put_clip(&shot->clip, &json);
        tb_json_member_bool(&json, "captureBeyondViewport", true);
    }
    tb_json_object_close(&json);
    work->state = CAPTURE;
    tb_cdp_work_here(work, TB_HERE_NOW);
    tb_cdp_work_send(work, "Page.captureScreenshot", tb_buf_str(&params));
}

static void capture(struct screenshot *shot)
{
    shot->work.state = VEIL;
    if (!tb_cdp_veil_next(&shot->veil, &shot->work)) {
        take(shot);
    }
}

static void fit_and_capture(struct screenshot *shot)
{
    if (!tb_clip_fit(&shot->clip, shot->max_px, shot->ratio)) {
        tb_cdp_work_fail(&shot->work, TB_E_WRONG_ELEMENT,
                         "there is nothing to capture: the size is %.0fx%.0f", shot->clip.width,
                         shot->clip.height);
        return;
    }
    capture(shot);
}

static double num_at(const struct cJSON *json, const char *key)
{
    double value = 0;
    tb_json_num(tb_json_get(json, key), &value);
    return value;
}

static void on_metrics(struct screenshot *shot, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    const struct cJSON *view = tb_json_get(json, "cssVisualViewport");
    const struct cJSON *content = tb_json_get(json, "cssContentSize");
    if (tb_args_has(shot->work.op->args, "target")) {
        shot->clip.x += num_at(view, "pageX");
        shot->clip.y += num_at(view, "pageY");
    } else if (tb_args_flag(shot->work.op->args, "full_page", false)) {
        shot->clip.width = num_at(content, "width");
        shot->clip.height = num_at(content, "height");
    } else {
        shot->clip.x = num_at(view, "pageX");
        shot->clip.y = num_at(view, "pageY");
        shot->clip.width = (double)shot->width;
        shot->clip.height = (double)shot->height;
    }
    fit_and_capture(shot);
}

static void ask_metrics(struct screenshot *shot)
{
    shot->work.state = METRICS;
    tb_cdp_work_send(&shot->work, "Page.getLayoutMetrics", (struct tb_str){NULL, 0});
}

/* Brings the corner out of its frame. */
static void go_out(struct screenshot *shot)
{
    shot->work.state = OUTWARD;
    if (!tb_cdp_outward_ask(&shot->corner, &shot->work)) {
        shot->clip.x = shot->corner.x;
        shot->clip.y = shot->corner.y;
        ask_metrics(shot);
    }
}

static void on_box(struct screenshot *shot, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    shot->corner = (struct tb_cdp_outward){
        .x = num_at(json, "x"), .y = num_at(json, "y"), .frame = shot->work.frame, .force = true};
    shot->clip.width = num_at(json, "width");
    shot->clip.height = num_at(json, "height");
    tb_cdp_work_set_element(&shot->work, "element", json);
    go_out(shot);
}

static const char *type_of(struct tb_str format)
{
    return tb_str_eq_cstr(format, "png")    ? "image/png"
           : tb_str_eq_cstr(format, "webp") ? "image/webp"
                                            : "image/jpeg";
}

/* How many bytes the base64 text stands for. */
static int64_t decoded_bytes(struct tb_str base64)
{
    size_t padding = 0;
    while (padding < 2 && base64.len > padding && base64.ptr[base64.len - 1 - padding] == '=') {
        padding++;
    }
    return (int64_t)(base64.len / 4 * 3 - padding);
}

static double view_width(const struct screenshot *shot)
{
    return shot->clip.width > 0 ? shot->clip.width : (double)shot->width;
}

static void on_captured(struct screenshot *shot, struct tb_str value)
{
    struct tb_cdp_work *work = &shot->work;
    struct tb_result *result = work->op->result;
    struct tb_str data = tb_cdp_pick(value, "data");
    struct tb_str picture = tb_str_sub(data, 1, data.len ? data.len - 1 : 0);
    int64_t width = 0;
    int64_t height = 0;
    if (!picture.len || tb_buf_append_str(&result->image, picture) < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE,
                         "the picture takes %zu KB, more than the limit of %d",
                         picture.len / TB_KIB, TB_RESULT_IMAGE_MAX / TB_KIB);
        return;
    }
    result->image_type = type_of(format_of(work));
    tb_picture_size(picture, &width, &height);
    tb_json_set_int(result->data, "width", width);
    tb_json_set_int(result->data, "height", height);
    tb_json_set_int(result->data, "bytes", decoded_bytes(picture));
    tb_json_set_num(result->data, "scale", (double)width / view_width(shot));
    tb_json_set_str(result->data, "format", format_of(work));
    tb_cdp_work_wind_up(work);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct screenshot *shot = TB_CONTAINER(work, struct screenshot, work);
    switch (work->state) {
    case BOX:
        on_box(shot, value);
        break;
    case OUTWARD:
        tb_cdp_outward_take(&shot->corner, work, value);
        go_out(shot);
        break;
    case METRICS:
        on_metrics(shot, value);
        break;
    case VEIL:
        capture(shot);
        break;
    default:
        tb_cdp_veil_lift(&shot->veil);
        on_captured(shot, value);
        break;
    }
}

static void fini(struct tb_cdp_work *work)
{
    tb_cdp_veil_lift(&TB_CONTAINER(work, struct screenshot, work)->veil);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (work->state == VEIL && err->code == TB_E_ELEMENT_STALE) {
        capture(TB_CONTAINER(work, struct screenshot, work)); /* that field is gone */
        return true;
    }
    if (work->state == CAPTURE && err->code == TB_E_PROTOCOL) {
        tb_cdp_work_fail(work, TB_E_NOT_POSSIBLE, "the browser cannot draw this page: %s",
                         err->text);
        return true;
    }
    return false;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct screenshot),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

static void ask_box(struct screenshot *shot)
{
    struct tb_cdp_work *work = &shot->work;
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(work, "target", true, &args);
    args.len--; /* the closing brace */
    /* The top left corner, covered or not. */
    tb_buf_append_cstr(&args, ",\"force\":true,\"position\":{\"x\":0,\"y\":0}}");
    work->state = BOX;
    tb_cdp_work_call(work, "point", tb_buf_str(&args));
}

void tb_cdp_op_screenshot(struct tb_driver_session *session, struct tb_op *op)
{
    struct screenshot *shot = tb_cdp_work_new(&kind, session, op);
    if (!shot) {
        return;
    }
    const struct cJSON *viewport = tb_json_get(session->emulation, "viewport");
    shot->width = session->use.width ? session->use.width : TB_WINDOW_WIDTH;
    shot->height = session->use.height ? session->use.height : TB_WINDOW_HEIGHT;
    double scale = num_at(viewport, "scale");
    shot->ratio = scale > 0 ? scale : 1;
    shot->max_px = tb_args_int(op->args, "max_px", MAX_PX);
    double longer = (double)(shot->width > shot->height ? shot->width : shot->height) * shot->ratio;
    bool fits = shot->max_px == 0 || longer <= (double)shot->max_px;
    if (tb_args_has(op->args, "target")) {
        if (tb_cdp_work_frame(&shot->work, tb_args_text(op->args, "target", ""))) {
            ask_box(shot);
        }
    } else if (fits && !tb_args_flag(op->args, "full_page", false)) {
        capture(shot);
    } else {
        ask_metrics(shot);
    }
}
