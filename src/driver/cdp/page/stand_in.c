/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/stand_in.h"

#include "base/buf.h"
#include "driver/cdp/page/page.h"
#include "driver/cdp/wire/pick.h"

void tb_cdp_stand_in_on_event(struct tb_cdp_page *page, struct tb_str method, struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf reply = TB_BUF(1024);
    if (!tb_str_eq_cstr(method, "Fetch.requestPaused")) {
        return;
    }
    tb_buf_printf(&reply,
                  "{\"requestId\":%.*s,\"responseCode\":200,\"body\":\"\",\"responseHeaders\":[{"
                  "\"name\":\"Content-Type\",\"value\":\"text/html\"}]}",
                  TB_STR_ARG(tb_cdp_pick(params, "requestId")));
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), "Fetch.fulfillRequest",
                tb_buf_str(&reply));
}
