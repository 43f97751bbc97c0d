/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config_btcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "daemon/config_load.h"

static void load(struct tb_config *config, const char *yaml)
{
    struct tb_err err = {0};
    tb_config_init(config);
    if (tb_config_btcp_load_yaml(config, "b.yaml", tb_str_of(yaml), &err) < 0) {
        fail_msg("%s", err.text);
    }
}

/* S4-27, S4-28, S4-29, S4-32, S4-33, S4-34 */
static void a_file_of_btcps_own_server_sets_ours(void **state)
{
    struct tb_config config;
    (void)state;
    load(&config, "server:\n"
                  "  host: 127.0.0.2\n"
                  "  clientPort: 9765\n"
                  "  mcpPort: 9766\n"
                  "  transport: websocket\n"
                  "  socket: {cleanup: true, highWaterMark: 16384}\n"
                  "sessions:\n"
                  "  ttl: 60\n"
                  "  maxTtl: 120\n"
                  "  idleTimeout: 30\n"
                  "  maxPerClient: 2\n"
                  "  maxAgentsPerSession: 3\n"
                  "  maxToolsPerSession: 4\n"
                  "security:\n"
                  "  allowedOrigins: [https://a.example, http://b.example]\n"
                  "logging:\n"
                  "  level: debug\n"
                  "  auditLog: false\n");
    assert_string_equal(config.listen, "127.0.0.2:9765");
    assert_string_equal(config.agent_listen, "127.0.0.2:9766");
    assert_int_equal(config.sessions_client_ttl_ms, 60000);
    assert_int_equal(config.sessions_client_ttl_max_ms, 120000);
    assert_int_equal(config.sessions_client_idle_ms, 30000);
    assert_int_equal(config.client_per_connection, 2);
    assert_int_equal(config.client_agents, 3);
    assert_int_equal(config.client_tools, 4);
    assert_int_equal(config.http_allowed_origins.count, 2);
    assert_string_equal(config.http_allowed_origins.items[1], "http://b.example");
    assert_string_equal(config.log_level, "debug");
    assert_false(config.audit_enabled);
    tb_config_fini(&config);
}

static void host_and_ports_are_parts_of_our_addresses(void **state)
{
    struct tb_config config;
    (void)state;
    load(&config, "server: {host: '::1'}\n");
    assert_string_equal(config.listen, "[::1]:8765");
    assert_string_equal(config.agent_listen, "[::1]:8766");
    assert_int_equal(tb_config_btcp_load_flag(&config, "--port", TB_STR("1"), NULL), 0);
    assert_string_equal(config.listen, "[::1]:1");
    tb_free(config.agent_listen);
    config.agent_listen = tb_strdup("off");
    const char *const env[] = {"BTCP_HOST=0.0.0.0", NULL};
    assert_int_equal(tb_config_btcp_load_env(&config, env, NULL), 0);
    assert_string_equal(config.listen, "0.0.0.0:1");
    assert_string_equal(config.agent_listen, "off");
    assert_int_equal(tb_config_btcp_load_flag(&config, "--mcp-port", TB_STR("2"), NULL), 0);
    assert_string_equal(config.agent_listen, "0.0.0.0:2");
    tb_config_fini(&config);
}

static void what_is_wrong_is_told_by_its_own_name(void **state)
{
    static const struct {
        const char *yaml, *words;
    } cases[] = {
        {"sessions:\n  ttl: soon\n",
         "b.yaml:2: sessions.ttl: must be a whole number of seconds, not 'soon'"},
        {"sessions:\n  ttl: 99999999999999999\n", "sessions.ttl: "},
        {"server:\n  host: x\n  clientPort: 65536\n",
         "b.yaml:3: server.clientPort: must be a port, a number up to 65535, not '65536'"},
        {"sessions:\n  maxAgents: 3\n", "b.yaml:2: unknown setting sessions.maxAgents"},
        {"server:\n  socket:\n    pth: 3\n",
         "b.yaml:3: unknown setting server.socket.pth (did you mean server.socket.path?)"},
        {"sesions:\n  ttl: 3\n", "unknown setting sesions (did you mean sessions?)"},
        {"sessions: [1]\n", "sessions must be a section"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(cases); i++) {
        struct tb_config config;
        struct tb_err err = {0};
        tb_config_init(&config);
        assert_int_equal(
            tb_config_btcp_load_yaml(&config, "b.yaml", tb_str_of(cases[i].yaml), &err),
            TB_E_CONFIG);
        if (!strstr(err.text, cases[i].words)) {
            fail_msg("%s", err.text);
        }
        tb_config_fini(&config);
    }
}

static void variables_are_read_and_ours_win(void **state)
{
    static const char *const env[] = {"BTCP_HOST=127.0.0.3",
                                      "BTCP_CLIENT_PORT=9001",
                                      "BTCP_PORT=9000",
                                      "BTCP_MCP_PORT=9002",
                                      "BTCP_SESSION_TTL=10",
                                      "BTCP_LOG_LEVEL=warn",
                                      "TABARD_AGENT_LISTEN=127.0.0.1:1",
                                      "TABARD_SESSIONS_CLIENT_TTL_MS=5",
                                      NULL};
    static const char *const flags[] = {"--port", "9003"};
    static const char *const bad[] = {"BTCP_SESSION_TTL=x", NULL};
    struct tb_config_sources sources = {.no_file = true, .env = env};
    struct tb_config config;
    struct tb_err err;
    (void)state;
    assert_int_equal(tb_config_load(&sources, &config, &err), 0);
    assert_string_equal(config.listen, "127.0.0.3:9001"); /* the more particular name wins */
    assert_string_equal(config.agent_listen, "127.0.0.1:1");
    assert_int_equal(config.sessions_client_ttl_ms, 5);
    assert_string_equal(config.log_level, "warn");
    tb_config_fini(&config);
    sources.flags = flags;
    sources.flag_count = 1;
    assert_int_equal(tb_config_load(&sources, &config, &err), 0);
    assert_string_equal(config.listen, "127.0.0.3:9003");
    tb_config_fini(&config);
    sources.env = bad;
    assert_int_equal(tb_config_load(&sources, &config, &err), TB_E_CONFIG);
    assert_string_equal(err.text,
                        "environment variable BTCP_SESSION_TTL: must be a whole number of "
                        "seconds, not 'x'");
}

/* Whoever may come without a token is asked for none. */
static void to_require_no_credential_is_to_be_open_on_loopback(void **state)
{
    static const char *const env[] = {"BTCP_REQUIRE_AUTH=false", NULL};
    static const char *const bad[] = {"BTCP_REQUIRE_AUTH=perhaps", NULL};
    const struct tb_config_key *key = tb_config_by_env(TB_STR("TABARD_BTCP_OPEN_ON_LOOPBACK"));
    struct tb_config config;
    struct tb_config fresh;
    struct tb_err err;
    (void)state;
    if (!key) {
        skip(); /* no front asks for it */
    }
    tb_config_init(&config);
    tb_config_init(&fresh);
    assert_int_equal(tb_config_btcp_load_env(&config, env, NULL), 0);
    assert_true(tb_config_differs(&config, &fresh, key));
    assert_int_equal(tb_config_btcp_load_env(&config, bad, &err), TB_E_CONFIG);
    assert_non_null(strstr(err.text, "must be true or false, not 'perhaps'"));
    tb_config_fini(&fresh);
    load(&fresh, "security: {requireAuth: true}\n");
    assert_true(tb_config_differs(&config, &fresh, key));
    tb_config_fini(&config);
    tb_config_fini(&fresh);
}

static void note(struct tb_str name, const char *meant, void *user)
{
    tb_buf_printf(user, "%.*s>%s ", TB_STR_ARG(name), meant);
}

static void what_has_no_use_here_is_named(void **state)
{
    static const char *const env[] = {"BTCP_TRANSPORT=tcp",  "BTCP_SESSION_STORE=redis://x",
                                      "BTCP_API_KEY=secret", "BTCP_HOST=127.0.0.1",
                                      "BTCP_MCPPORT=1",      NULL};
    TB_AUTO(tb_buf_fini) struct tb_buf told = TB_BUF(1000);
    (void)state;
    tb_config_btcp_each_useless(TB_STR("server: {host: x, socket: {noDelay: true}}\n"
                                       "logging: {transport: file, level: info}\n"),
                                env, note, &told);
    tb_buf_append_char(&told, '\0');
    assert_string_equal((const char *)told.data,
                        "server.socket.noDelay> logging.transport> BTCP_TRANSPORT> "
                        "BTCP_SESSION_STORE> BTCP_MCPPORT>BTCP_MCP_PORT ");
}

static void a_secret_of_agents_is_no_variable_of_the_daemon(void **state)
{
    (void)state;
    assert_true(tb_config_btcp_is_env(TB_STR("BTCP_HOST")));
    assert_false(tb_config_btcp_is_env(TB_STR("BTCP_API_KEY")));
    assert_false(tb_config_btcp_is_env(TB_STR("BTCP_SESSION_ID")));
    assert_false(tb_config_btcp_is_env(TB_STR("BTCP_WHATEVER")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_btcps_own_server_sets_ours),
        cmocka_unit_test(host_and_ports_are_parts_of_our_addresses),
        cmocka_unit_test(what_is_wrong_is_told_by_its_own_name),
        cmocka_unit_test(variables_are_read_and_ours_win),
        cmocka_unit_test(to_require_no_credential_is_to_be_open_on_loopback),
        cmocka_unit_test(what_has_no_use_here_is_named),
        cmocka_unit_test(a_secret_of_agents_is_no_variable_of_the_daemon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
