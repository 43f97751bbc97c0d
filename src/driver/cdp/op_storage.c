/* SPDX-License-Identifier: Apache-2.0 */
/* localStorage and sessionStorage of the current page, read and written in our own world: it shares
 * them with the page. */
#include "core/args.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024,
    PARAMS_MAX = 2 * TEXT_MAX,
};

static const char function[] =
    "(({action='get',area='local',key,value})=>{"
    "let s;try{s=area==='session'?sessionStorage:localStorage}catch(e){return{no:e.message}}"
    "const items={};let changed=0;"
    "try{switch(action){"
    "case'set':s.setItem(key,value);changed=1;break;"
    "case'remove':changed=s.getItem(key)===null?0:1;s.removeItem(key);break;"
    "case'clear':changed=s.length;s.clear();break;"
    "default:for(let i=0;i<s.length;i++){const k=s.key(i);"
    "if(key===undefined||k===key)items[k]=s.getItem(k)}}"
    "}catch(e){return{no:e.message}}"
    "return{origin:location.origin,items,changed}})";

static void step(struct tb_opwork *work, struct tb_str reply)
{
    struct tb_str value = tb_pick(tb_pick(reply, "result"), "value");
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct cJSON *data = work->op->result->data;
    struct tb_str why = TB_STR("it gave no answer");
    if (tb_json_str(tb_json_get(json, "no"), &why) || !tb_json_get(json, "changed")) {
        tb_opwork_fail(work, TB_E_NOT_POSSIBLE, "this page has no storage that can be used: %.*s",
                       TB_STR_ARG(tb_str_sub(why, 0, 300)));
        return;
    }
    bool get = tb_str_eq_cstr(tb_args_text(work->op->args, "action", "get"), "get");
    const char *key = get ? "items" : "changed";
    tb_json_set_take(data, "origin", tb_json_dup(tb_json_get(json, "origin")));
    tb_json_set_str(data, "area", tb_args_text(work->op->args, "area", "local"));
    tb_json_set_take(data, key, tb_json_dup(tb_json_get(json, key)));
    tb_opwork_done(work);
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct tb_opwork), .step = step};

static bool lacks_something(struct tb_opwork *work)
{
    const struct cJSON *args = work->op->args;
    struct tb_str action = tb_args_text(args, "action", "get");
    bool set = tb_str_eq_cstr(action, "set");
    if ((set || tb_str_eq_cstr(action, "remove")) && !tb_args_has(args, "key")) {
        tb_opwork_fail(work, TB_E_PARAMS, "%.*s wants key", TB_STR_ARG(action));
        return true;
    }
    if (set && !tb_args_has(args, "value")) {
        tb_opwork_fail(work, TB_E_PARAMS, "set wants value");
        return true;
    }
    return false;
}

void tb_cdp_op_storage(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_opwork *work = tb_opwork_new(&kind, session, op);
    if (!work || lacks_something(work)) {
        return;
    }
    const char *world = tb_frame_world(tb_page_main_frame(tb_opwork_page(work)));
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_opwork_args(work, "action area key value", false, &args);
    tb_buf_printf(&text, "%s(%.*s)", function, TB_STR_ARG(tb_buf_str(&args)));
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "expression");
    tb_json_put_str(&json, tb_buf_str(&text));
    tb_json_key(&json, "returnByValue");
    tb_json_put_bool(&json, true);
    if (world[0]) {
        tb_json_key(&json, "uniqueContextId");
        tb_json_put_cstr(&json, world);
    }
    tb_json_object_close(&json);
    tb_opwork_send(work, "Runtime.evaluate", tb_buf_str(&params));
}
