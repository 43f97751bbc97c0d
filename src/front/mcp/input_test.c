/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"

#define ANSWER                                                                       \
    REQUEST(1, "tools/call",                                                         \
            "\"name\":\"test_input_required_result_request_state\","                 \
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
            "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}%s%.*s%s")
#define SAID "\"inputResponses\":{\"confirm\":{\"action\":\"accept\",\"content\":{\"ok\":true}}}"

static int set_up(void **state)
{
    struct mcp_rig *rig = TB_NEW(struct mcp_rig);
    mcp_rig_init(rig);
    rig->fixtures = true;
    mcp_rig_memory(rig, "", "");
    *state = rig;
    return 0;
}

/* The question's answer with the state that the server gave. */
static const char *answer(struct mcp_rig *rig, const char *state)
{
    static char message[4096];
    int len = (int)(strchr(state, '"') - state);
    snprintf(message, sizeof(message), ANSWER, "," SAID ",\"requestState\":\"", len, state, "\"");
    return mcp_rig_say(rig, message);
}

static void a_state_belongs_to_the_credential_that_got_it(void **state)
{
    struct mcp_rig *rig = *state;
    struct tb_principal *own = rig->peer.who;
    struct tb_principal other = *own; /* of the same tenant */
    char message[1024];
    snprintf(message, sizeof(message), ANSWER, "", 0, "", "");
    TB_AUTO(tb_free) char *asked = tb_strdup(mcp_rig_say(rig, message));
    mcp_expect(asked, "\"requestState\":\"");
    const char *given = strstr(asked, "\"requestState\":\"") + strlen("\"requestState\":\"");
    snprintf(other.key, sizeof(other.key), "another");
    rig->peer.who = &other;
    mcp_expect(answer(rig, given), "requestState is not the one that the server sent");
    rig->peer.who = own;
    mcp_expect(answer(rig, given), "state-ok");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_state_belongs_to_the_credential_that_got_it, set_up,
                                        mcp_rig_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
