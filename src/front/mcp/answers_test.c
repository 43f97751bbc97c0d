/* SPDX-License-Identifier: Apache-2.0 */
/* Replies to calls, to the byte: what is in them, in what order, and what is cut. Whoever changes
 * the words of an answer writes the new sum here. */
#include "base/hash.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "core/toolbox.h"

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"
#include "support/said.h"

#define CALL(name, args) REQUEST(7, "tools/call", "\"name\":\"" name "\",\"arguments\":{" args "}")
#define READ(what)       REQUEST(7, "resources/read", "\"uri\":\"tabard://session/browser-1/" what "\"")
#define NAMED            "\"sessionId\":\"browser-1\""
#define EVALUATE         "\"script\":\"1\""
#define URL              "\"url\":\"http://x/\""
#define NOTE             "\"note\":\"The browser is new.\""
#define DIALOGS          "\"dialogs_answered\":[{\"type\":\"alert\",\"message\":\"Hello\"}]"
#define CONTENT          "\"content\":[ {\"type\":\"text\",\"text\":\"\\ud83d\"} ]"

/* A message, how the fake driver answers it, and the sum of the reply. */
struct row {
    const char *message;
    const char *text;
    const char *data;
    size_t text_bytes;
    size_t image_bytes;
    int code;
    const char *sum;
};

enum {
    LONG = TB_RESULT_TEXT_MAX,
    ALMOST = TB_MCP_RESULT_MAX - 8 * TB_KIB,
};

static void bring(struct mcp_rig *rig)
{
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    const struct tb_session *session =
        tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1"));
    assert_int_equal(tb_brought_new("add", "http://x", "f", TB_STR("{}"), &tools[0], NULL), 0);
    assert_true(tb_fake_bring_take(rig->fake, tb_session_info(session).id, tools, 1));
}

static void plan(struct tb_fake *fake, const struct row *row)
{
    fake->text = row->text;
    fake->data = row->data;
    fake->text_bytes = row->text_bytes;
    fake->image_bytes = row->image_bytes;
    for (size_t i = 0; i < TB_OP_COUNT; i++) {
        fake->ops[i].code = row->code;
    }
}

static void expect_sum(const struct row *row, const char *said)
{
    char sum[TB_HMAC_SIZE];
    TB_AUTO(tb_free) char *words = tb_strdup(said);
    said_hide_numbers(words);
    tb_hmac_sha256(TB_STR("answers"), tb_str_of(words), sum);
    if (strcmp(sum, row->sum) != 0) {
        fail_msg("%s has the sum %s: %.1500s", row->message, sum, said);
    }
}

static void expect_all(const char *toolset, const char *first, const struct row *rows, size_t count)
{
    struct mcp_rig rig;
    mcp_rig_init(&rig);
    mcp_rig_memory(&rig, toolset, "all");
    mcp_rig_say(&rig, INITIALIZE("2025-11-25"));
    mcp_rig_say(&rig, first);
    bring(&rig);
    for (size_t i = 0; i < count; i++) {
        plan(rig.fake, &rows[i]);
        expect_sum(&rows[i], mcp_rig_say(&rig, rows[i].message));
    }
    mcp_rig_fini(&rig);
}

static void those_of_the_default_toolset(void **state)
{
    static const struct row rows[] = {
        /* With the session's line, and without. */
        {CALL("browser_navigate", URL), NULL, NULL, 0, 0, 0,
         "e599fa241edac15afcf2bec27dfdd66162a23f8e294c4ad7edca09f57bae0461"},
        {CALL("browser_evaluate", EVALUATE "," NAMED), NULL, NULL, 0, 0, 0,
         "0615831be7a69763d733308819d0143575d88bd8dc1284a37dc830c76cdf1f27"},
        /* Nothing to say. */
        {CALL("browser_evaluate", EVALUATE "," NAMED), "", NULL, 0, 0, 0,
         "2ee7c3bdad88699690aeab289e30d4ddcdbf9f54e46e4c7941f93bea308579ed"},
        {CALL("browser_evaluate", EVALUATE), "", NULL, 0, 0, 0,
         "7339c3cf3630103ed92677b25796135419e715480b6f2668e0cb61cddb1d1e18"},
        /* Note before, aside behind. */
        {CALL("browser_evaluate", EVALUATE), "1", "{" NOTE "," DIALOGS "}", 0, 0, 0,
         "b1736bba83f2527bf0e3e95d96824765abea685fa003e825c8772a7069296ca0"},
        {CALL("browser_evaluate", EVALUATE "," NAMED), "", "{" NOTE "," DIALOGS "}", 0, 0, 0,
         "78448ad3c5742a52451f851f4d81259675d03acee785588a87e2cc1dab96afb4"},
        /* Cut. */
        {CALL("browser_evaluate", EVALUATE), NULL, NULL, LONG, 0, 0,
         "4184f7e3aadc32cfd0246c77456c1f081980f529ebc0e2854bf77ba09602e074"},
        {CALL("browser_snapshot", NAMED), "\x01\n\"\n\xc3\xa4\n", "{" NOTE "}", LONG, 0, 0,
         "7cbb7082e5cb712eb5917a7976265edd7fb3eabc3f18879c2a21d613ef316e0d"},
        /* Pictures. */
        {CALL("browser_screenshot", ""), NULL, NULL, 0, 0, 0,
         "859ff02ba4b3240629ad889559fa8da48d41f41ddb83b899a2303dca6f859ff9"},
        {CALL("browser_screenshot", NAMED), NULL, "{" NOTE "}", 0, ALMOST, 0,
         "ef19c2aa77f2c4e3375034a0ad53d667340ef5fb8db39e3a8d8f2164c07aa6c7"},
        {CALL("browser_screenshot", ""), NULL, "{" NOTE "}", 0, TB_MCP_RESULT_MAX, 0,
         "3c6469a5edaec67df37e0cd116145dbca8c38ffd6535357e50336a89bfc8ef99"},
        {CALL("browser_screenshot", NAMED), NULL, NULL, 0, TB_MCP_RESULT_MAX, 0,
         "eadc4d552e82670c3e1caddbd3fe6417d9a082fd184c077ae1ecf92b0876edbf"},
        /* Failures. */
        {CALL("browser_click", "\"target\":\"e1\""), NULL, NULL, 0, 0, TB_E_ELEMENT_STALE,
         "ac17919f40f29a7c54bd99f3b3056794c33338334f5f8c8bb4e4b884c81fcc33"},
        {CALL("browser_click", "\"target\":\"e1\"," NAMED), NULL, NULL, 0, 0, TB_E_TIMEOUT,
         "ba348b93db1a0de0d174309f1dade1eb7d1c7d1ece5800f0daaa93f7be6f28ce"},
        {CALL("browser_click", ""), NULL, NULL, 0, 0, 0,
         "768475eac0fe1b4e35aa563dc23560c49e6ed3c07feaba20208dc627fe2aacb7"},
        {CALL("browser_click", "\"sessionId\":\"x\",\"target\":\"e\""), NULL, NULL, 0, 0, 0,
         "ded14293984e05f0de1e11fb918eb17adde7b9dfb9788d64cd3f69269b52b7ba"},
        {CALL("execute_sequence", "\"actions\":[{\"action\":\"browser_click\",\"target\":\"e1\"}]"),
         NULL, NULL, 0, 0, TB_E_ELEMENT_STALE,
         "dcef64365f705e47820f5d69e8a34a448905cc6856493872c40577b49106c5d9"},
        /* What a page's tool gives. */
        {CALL("add", "\"a\":1"), NULL, NULL, 0, 0, 0,
         "86d012568861c37b865420f153c12b162c80b9dfb4311dc91d14f7487409def4"},
        {CALL("add", CONTENT ",\"isError\":true"), NULL, NULL, 0, 0, 0,
         "c2bfa694fc6decb0f6b2af6efe0f34682268b648a40becaa518d850f17cb01cc"},
        {CALL("add", "\"content\":1"), NULL, NULL, 0, 0, TB_E_SCRIPT,
         "a227886c2bac18719c9c01ff02ad0282c62f48fe1923738830db473c6217ee3a"},
    };
    (void)state;
    expect_all("", CALL("browser_navigate", URL), rows, TB_COUNT(rows));
}

static void those_of_resources(void **state)
{
    static const struct row rows[] = {
        {READ("snapshot"), NULL, "{" NOTE "}", LONG, 0, 0,
         "012543532a3a4ea45e05526b79b483718c07fdd6c530b978d718160ef700c68a"},
        {READ("snapshot"), "", NULL, 0, 0, 0,
         "c94b0bcdb7a4371633425a73cf8f1c9068ec33a00d5d2810f5afa6505f033124"},
        {READ("screenshot"), NULL, NULL, 0, 0, 0,
         "b62eea99ac17fe90a5efc7c9ea0ec184dcabdffa3097a14daf45d6e539ad776e"},
        {READ("screenshot"), NULL, NULL, 0, TB_MCP_RESULT_MAX, 0,
         "98550c43fd1de3b2214251dd9ca29932df1c114f369b79fa44d0a1f5963ec39b"},
        {READ("snapshot"), NULL, NULL, 0, 0, TB_E_PAGE_CRASHED,
         "b08d4e2719e9be688fd6b66853adbb9e03b84b30426064963f8e00da20a1df26"},
    };
    (void)state;
    expect_all("", CALL("browser_navigate", URL), rows, TB_COUNT(rows));
}

/* Where a sum would not say that it is the mark that was meant. */
static void what_is_longer_than_a_result_has_a_mark(void **state)
{
    struct mcp_rig rig;
    (void)state;
    mcp_rig_init(&rig);
    mcp_rig_memory(&rig, "", "");
    mcp_rig_say(&rig, INITIALIZE("2025-11-25"));
    mcp_rig_say(&rig, CALL("browser_navigate", URL));
    rig.fake->text_bytes = LONG;
    const char *said = mcp_rig_say(&rig, CALL("browser_snapshot", ""));
    mcp_expect(said, "\\n[cut here: ");
    assert_in_range(strlen(said), TB_MCP_RESULT_MAX - 4 * TB_KIB, TB_MCP_RESULT_MAX);
    mcp_rig_fini(&rig);
}

static void those_of_a_toolset_with_forms_of_its_own(void **state)
{
    static const struct row rows[] = {
        {CALL("browser_navigate", URL), NULL, "{" NOTE "}", 0, 0, 0,
         "329f0d308f504dd6d34dfe091c5b2b98ab8183081450bb93a25c48693cb17ec4"},
        {CALL("browser_screenshot", ""), NULL, "{" NOTE "}", 0, 0, 0,
         "23680d85a8165f0f5d958d4305da3113dbab1e70351dc9c96f279bd27b1fa803"},
        {CALL("browser_click", "\"selector\":\"a\""), NULL, NULL, 0, 0, TB_E_TIMEOUT,
         "7ea98663326b148cef0883aa3c01ad2a9c66b79f431d9351588c5e756a913519"},
        {CALL("browser_extract", "\"selector\":\"a\""), "[]", "{" DIALOGS "}", 0, 0, 0,
         "347bd43e05f97c7cefec6e7f31dc2f638e5d4b11fbf2172206a729b95ff6765a"},
    };
    (void)state;
    expect_all("octopus", CALL("browser_navigate", URL), rows, TB_COUNT(rows));
}

static void those_of_webdriverio(void **state)
{
    static const struct row rows[] = {
        {CALL("navigate", URL), NULL, "{" NOTE "}", 0, 0, 0,
         "8c5021261d6ab47ee7fd8c9b3ea1a5655424163464e126287873b9e1cd92face"},
        {CALL("take_screenshot", ""), NULL, "{" NOTE "}", 0, 0, 0,
         "84fa0139e787cca145a299c2611c734bd1888ecc81722348fbf616616dc4ed03"},
        {CALL("click_element", "\"selector\":\"a\""), NULL, NULL, 0, 0, TB_E_TIMEOUT,
         "ba9253a5624f50b30751b7e277d7d455274ce1c8715ffcdacfbec427a7b90cc2"},
    };
    (void)state;
    expect_all("wdio", CALL("start_session", "\"platform\":\"browser\""), rows, TB_COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_the_default_toolset),
        cmocka_unit_test(those_of_resources),
        cmocka_unit_test(what_is_longer_than_a_result_has_a_mark),
        cmocka_unit_test(those_of_a_toolset_with_forms_of_its_own),
        cmocka_unit_test(those_of_webdriverio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
