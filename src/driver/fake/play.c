/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/fake/play.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/core.h"
#include "core/driver.h"
#include "core/egress.h"
#include "core/toolbox.h"
#include "driver/fake/fake.h"

void tb_fake_tools_note(struct tb_brought_list *tools, struct tb_brought *const *list, size_t count)
{
    tb_brought_list_clear(tools);
    tools->tools = tb_zalloc_array(count + 1, sizeof(struct tb_brought *));
    tools->count = count;
    for (size_t i = 0; i < count; i++) {
        tools->tools[i] = tb_brought_ref(list[i], "fake");
    }
}

static void fill_up(struct tb_buf *text, size_t bytes, char with)
{
    while (text->len < bytes && tb_buf_append_char(text, with) == 0) {
    }
}

void tb_fake_give(const struct tb_fake *fake, const struct tb_op *op)
{
    struct tb_result *result = op->result;
    tb_json_free(result->data);
    result->data = fake->data ? tb_json_parse(tb_str_of(fake->data)) : tb_json_dup(op->args);
    tb_buf_append_cstr(&result->text, fake->text ? fake->text : tb_op_name(op->kind));
    fill_up(&result->text, fake->text_bytes, '.');
    if (op->kind == TB_OP_SCREENSHOT) {
        tb_buf_append_cstr(&result->image, "QUJD");
        fill_up(&result->image, fake->image_bytes, 'A');
        result->image_type = "image/png";
    }
}

void tb_fake_note_invoked(struct tb_fake *fake, const struct tb_op *op)
{
    snprintf(fake->invoked, sizeof(fake->invoked), "%s", op->brought->handle);
    snprintf(fake->request_id, sizeof(fake->request_id), "%.*s", TB_STR_ARG(op->request_id));
}

void tb_fake_note_args(struct tb_fake *fake, const struct cJSON *args)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(sizeof(fake->opened_with) - 1);
    if (args) {
        tb_json_print(args, &text);
    }
    snprintf(fake->opened_with, sizeof(fake->opened_with), "%.*s", TB_STR_ARG(tb_buf_str(&text)));
}

bool tb_fake_refuses(const struct tb_driver_events *events, void *owner, struct tb_op *op)
{
    struct tb_err err;
    struct tb_str url = tb_args_text(op->args, "url", "");
    if (!url.len || !events->may_open || events->may_open(owner, url, &err) == 0) {
        return false;
    }
    tb_result_fail_err(op->result, &err);
    tb_op_done(op);
    return true;
}

struct tb_pass *tb_fake_pass(struct tb_core *core, struct tb_egress *egress)
{
    struct tb_pass *pass = egress ? tb_pass_new(core->egresses) : NULL;
    if (pass) {
        tb_pass_bind(pass, egress);
    }
    return pass;
}

void tb_fake_describe(const struct tb_core *core, const struct tb_pass *pass,
                      struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_member_cstr(json, "browserName", "fake");
    if (pass) {
        tb_json_member_cstr(json, "proxy", tb_egresses_proxy(core->egresses));
        tb_json_member_cstr(json, "user", tb_pass_user(pass));
        tb_json_member_cstr(json, "secret", tb_pass_secret(pass));
    }
    tb_json_object_close(json);
}
