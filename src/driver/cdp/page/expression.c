/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/expression.h"

#include "base/json.h"

void tb_cdp_expression_put(const struct tb_cdp_expression *expression, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "expression", expression->text);
    if (expression->world) {
        tb_json_member_cstr(&json, "uniqueContextId", expression->world);
    }
    if (expression->group) {
        tb_json_member_cstr(&json, "objectGroup", expression->group);
    }
    if (expression->value) {
        tb_json_member_bool(&json, "awaitPromise", true);
        tb_json_member_bool(&json, "returnByValue", true);
    }
    tb_json_object_close(&json);
}
