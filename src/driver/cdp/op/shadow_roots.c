/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/shadow_roots.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/expression.h"

enum phase {
    LIST,    /* the array of hosts */
    HOSTS,   /* its elements */
    NODES,   /* what each of them holds */
    RESOLVE, /* the roots, as objects of our world */
};

static const char group[] = "tabard-roots";

void tb_cdp_shadow_roots_init(struct tb_cdp_shadow_roots *roots)
{
    memset(roots, 0, sizeof(*roots));
}

void tb_cdp_shadow_roots_fini(struct tb_cdp_shadow_roots *roots)
{
    for (size_t i = 0; i < roots->count; i++) {
        tb_free(roots->items[i].host);
    }
    roots->count = 0;
}

static void ask(struct tb_cdp_work *work, const char *method, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void ask(struct tb_cdp_work *work, const char *method, const char *fmt, ...)
{
    char params[1024];
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(params, sizeof(params), fmt, args);
    va_end(args);
    if (len > 0 && len < (int)sizeof(params)) {
        tb_cdp_work_frame_send(work, method, (struct tb_str){params, (size_t)len});
    }
}

void tb_cdp_shadow_roots_start(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    roots->phase = LIST;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
    const char *world = frame ? tb_cdp_frame_world(frame) : "";
    tb_cdp_expression_put(
        &(struct tb_cdp_expression){TB_STR("tabard.hosts()"), world, .group = group}, &params);
    tb_cdp_work_frame_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

static bool is_plain(struct tb_str id)
{
    return id.len && id.len < 100 && !memchr(id.ptr, '"', id.len) && !memchr(id.ptr, '\\', id.len);
}

static bool on_list(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                    const struct cJSON *json)
{
    struct tb_str id = tb_json_text(tb_json_get(json, "result"), "objectId");
    roots->context = tb_cdp_object_context(id);
    if (!is_plain(id) || !roots->context) {
        return true;
    }
    roots->phase = HOSTS;
    ask(work, "Runtime.getProperties", "{\"objectId\":\"%.*s\",\"ownProperties\":true}",
        TB_STR_ARG(id));
    return false;
}

static bool on_hosts(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                     const struct cJSON *json)
{
    JSON_ARRAY_FOREACH(property, tb_json_get(json, "result")) {
        const struct cJSON *value = tb_json_get(property, "value");
        struct tb_str id = tb_json_text(value, "objectId");
        if (roots->count < TB_SHADOW_HOSTS_MAX && is_plain(id) &&
            tb_str_eq_cstr(tb_json_text(value, "subtype"), "node")) {
            roots->items[roots->count++].host = tb_str_dup(id);
        }
    }
    roots->phase = NODES;
    roots->answers = 0;
    if (!tb_cdp_work_document(work)) {
        return true; /* with its frame: who asks it several things is told only once */
    }
    for (size_t i = 0; i < roots->count; i++) {
        ask(work, "DOM.describeNode", "{\"objectId\":\"%s\",\"depth\":0,\"pierce\":true}",
            roots->items[i].host);
    }
    return roots->count == 0;
}

/* Keeps only the hosts that have a closed root. */
static void sift(struct tb_cdp_shadow_roots *roots)
{
    size_t found = 0;
    for (size_t i = 0; i < roots->count; i++) {
        struct tb_cdp_shadow_root item = roots->items[i];
        if (item.node) {
            roots->items[found++] = item;
        } else {
            tb_free(item.host);
        }
    }
    roots->count = found;
}

static bool resolve(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work)
{
    sift(roots);
    roots->phase = RESOLVE;
    roots->answers = 0;
    if (!tb_cdp_work_document(work)) {
        return true;
    }
    for (size_t i = 0; i < roots->count; i++) {
        ask(work, "DOM.resolveNode",
            "{\"backendNodeId\":%lld,\"executionContextId\":%d,\"objectGroup\":\"%s\"}",
            roots->items[i].node, roots->context, group);
    }
    return roots->count == 0;
}

static bool on_node(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                    const struct cJSON *json)
{
    struct tb_cdp_shadow_root *item = &roots->items[roots->answers];
    JSON_ARRAY_FOREACH(root, tb_json_get(tb_json_get(json, "node"), "shadowRoots")) {
        int64_t node;
        if (tb_str_eq_cstr(tb_json_text(root, "shadowRootType"), "closed") &&
            tb_json_int(tb_json_get(root, "backendNodeId"), &node)) {
            item->node = node;
        }
    }
    return ++roots->answers == roots->count && resolve(roots, work);
}

/* Commands of one session run in order, so the snapshot that follows sees the adopted roots. */
static bool on_root(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                    const struct cJSON *json)
{
    const struct tb_cdp_shadow_root *item = &roots->items[roots->answers];
    struct tb_str root = tb_json_text(tb_json_get(json, "object"), "objectId");
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    if (is_plain(root) && frame) {
        char params[512];
        int len = snprintf(params, sizeof(params),
                           "{\"functionDeclaration\":\"function(root){tabard.adopt(this,root)}\","
                           "\"objectId\":\"%s\",\"arguments\":[{\"objectId\":\"%.*s\"}]}",
                           item->host, TB_STR_ARG(root));
        tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_frame_session_id(frame),
                    "Runtime.callFunctionOn", (struct tb_str){params, (size_t)len});
    }
    if (++roots->answers < roots->count) {
        return false;
    }
    if (frame) {
        char params[64];
        int len = snprintf(params, sizeof(params), "{\"objectGroup\":\"%s\"}", group);
        tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_frame_session_id(frame),
                    "Runtime.releaseObjectGroup", (struct tb_str){params, (size_t)len});
    }
    return true;
}

bool tb_cdp_shadow_roots_step(struct tb_cdp_shadow_roots *roots, struct tb_cdp_work *work,
                              struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = value.len ? tb_json_parse(value) : NULL;
    switch (roots->phase) {
    case LIST:
        return on_list(roots, work, json);
    case HOSTS:
        return on_hosts(roots, work, json);
    case NODES:
        return on_node(roots, work, json);
    default:
        return on_root(roots, work, json);
    }
}
