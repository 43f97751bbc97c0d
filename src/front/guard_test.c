/* SPDX-License-Identifier: Apache-2.0 */
#include "front/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#include "support/mcp_rig.h"

static const char *ask(struct mcp_rig *rig, struct mcp_client *client, const char *headers)
{
    TB_AUTO(tb_free)
    char *request = tb_strdupf("POST /mcp HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 2\r\n"
                               "\r\n{}",
                               headers);
    mcp_client_open(rig, client);
    mcp_client_send(client, tb_str_of(request));
    mcp_rig_turn(rig);
    return mcp_client_heard(client);
}

static void a_body_of_a_wrong_type_is_refused_with_what_was_seen(void **state)
{
    static const struct {
        const char *headers;
        const char *words;
    } rows[] = {
        {"", "the body must be application/json; the request names no type\""},
        {"Content-Type: \r\n", "the body must be application/json; the request names no type\""},
        {"Content-Type: application/json\r\nContent-Type: application/json\r\n",
         "the body must be application/json; the request names its type more than once\""},
        {"Content-Type: text/plain; charset=utf-8\r\n",
         "the body must be application/json, not \\\"text/plain\\\"\""},
    };
    struct mcp_rig *rig = TB_NEW(struct mcp_rig);
    (void)state;
    mcp_rig_init(rig);
    mcp_rig_serve(rig);
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct mcp_client client = {0};
        const char *said = ask(rig, &client, rows[i].headers);
        if (!strstr(said, "HTTP/1.1 415 ") || !strstr(said, rows[i].words)) {
            fail_msg("'%s' is not in '%s'", rows[i].words, said);
        }
        mcp_client_close(&client);
    }
    mcp_rig_turn(rig);
    mcp_rig_fini(rig);
    tb_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_a_wrong_type_is_refused_with_what_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
