/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/chooser.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "driver/cdp/page/page_internal.h"

enum {
    DESCRIBE_MS = 2000, /* the page may be busy with what the click has begun */
};

struct tb_cdp_chooser *tb_cdp_page_chooser(struct tb_cdp_page *page)
{
    return &page->chooser;
}

/* Who waits for the answer gets it all the same. */
void tb_cdp_chooser_on_left(const struct tb_cdp_frame *frame)
{
    struct tb_cdp_chooser *chooser = &frame->page->chooser;
    if (frame->number == chooser->frame || !frame->parent) {
        chooser->open = false;
        chooser->untold = false;
    }
}

/* Attributes come as one list: name, value, name, value ... */
static void take_attributes(struct tb_cdp_chooser *chooser, const struct cJSON *node)
{
    bool is_accept = false;
    bool is_name = true;
    JSON_ARRAY_FOREACH(item, tb_json_get(node, "attributes")) {
        struct tb_str text = {NULL, 0};
        tb_json_str(item, &text);
        if (is_name) {
            is_accept = tb_str_eq_cstr(text, "accept");
            chooser->open = chooser->open && !tb_str_eq_cstr(text, "webkitdirectory");
        } else if (is_accept) {
            snprintf(chooser->accept, sizeof(chooser->accept), "%.*s",
                     TB_STR_ARG(tb_str_sub(tb_str_trim(text), 0, sizeof(chooser->accept) - 1)));
            chooser->accept[tb_utf8_prefix(tb_str_of(chooser->accept))] = '\0';
        }
        is_name = !is_name;
    }
}

static void on_described(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_page *page = user;
    struct tb_cdp_running *running = tb_cdp_host_running(page->host);
    (void)err;
    page->chooser.ask = NULL;
    if (code == 0) {
        TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(result);
        take_attributes(&page->chooser, tb_json_get(json, "node"));
    }
    if (running) {
        running->ops->chooser_known(running);
    }
}

void tb_cdp_chooser_on_opened(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_page *page = target->page;
    struct tb_cdp_chooser *chooser = &page->chooser;
    const struct tb_cdp_frame *frame =
        tb_cdp_page_frame_by_id(page, tb_json_text(params, "frameId"));
    int64_t node = 0;
    if (!frame) {
        return;
    }
    if (chooser->ask) {
        tb_cdp_page_cmd_drop(chooser->ask);
    }
    *chooser = (struct tb_cdp_chooser){.untold = true, .frame = frame->number};
    tb_json_int(tb_json_get(params, "backendNodeId"), &node);
    /* A picker that a script has asked for has no field; the browser has refused it already. */
    chooser->open = node > 0;
    if (chooser->open) {
        char text[64];
        int len = snprintf(text, sizeof(text), "{\"backendNodeId\":%" PRId64 "}", node);
        int64_t now_ms = tb_loop_now_ms(page->peer->loop);
        chooser->node = node;
        chooser->multiple = tb_str_eq_cstr(tb_json_text(params, "mode"), "selectMultiple");
        chooser->ask =
            tb_cdp_page_cmd_new(target, "DOM.describeNode", (struct tb_str){text, (size_t)len},
                                now_ms + DESCRIBE_MS, on_described, page);
    }
}

void tb_cdp_chooser_tell(struct tb_cdp_chooser *chooser, struct cJSON *data)
{
    if (!chooser->untold) {
        return;
    }
    struct cJSON *json = tb_json_new_object();
    tb_json_set_bool(json, "open", chooser->open);
    tb_json_set_bool(json, "multiple", chooser->multiple);
    if (chooser->accept[0]) {
        tb_json_set_cstr(json, "accept", chooser->accept);
    }
    tb_json_set_take(data, "chooser", json);
    chooser->untold = false;
}
