/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that are filled in on their way to a field, with a real browser. NET-6 */
#include "support/ops_lab.h"

#define FORM \
    "<input id=who aria-label=Name><textarea id=area></textarea><div id=ce contenteditable></div>"

static const struct ops_doc docs[] = {
    {.path = "/form", .body = "<title>Form</title>" FORM},
    {.path = "/other", .body = "<title>Other</title>" FORM},
    {.path = "/frames", .body = "<title>Frames</title><iframe src='/inner'></iframe>"},
    {.path = "/inner", .body = "<iframe src='/form'></iframe>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static int open_lab(void **state)
{
    struct ops_lab *lab = *state;
    lab->reveal = NULL;
    return ops_open(state);
}

/* Leaves in the lab's text what the driver said of the field's document. */
static int reveal(struct tb_op *op, struct tb_str text, const struct tb_str *origins, size_t count,
                  struct tb_buf *out, struct tb_err *err)
{
    struct ops_lab *lab = op->user;
    size_t len = 0;
    (void)text;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        len += (size_t)snprintf(lab->text + len, sizeof(lab->text) - len, "%.*s ",
                                TB_STR_ARG(origins[i]));
    }
    return tb_buf_append_cstr(out, "hunter2!");
}

static int refuse(struct tb_op *op, struct tb_str text, const struct tb_str *origins, size_t count,
                  struct tb_buf *out, struct tb_err *err)
{
    (void)op;
    (void)text;
    (void)origins;
    (void)count;
    (void)out;
    return tb_fail(err, TB_E_SECRET_SITE, "not here");
}

static void ignore(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    (void)code;
    (void)result;
    (void)err;
    (void)user;
}

/* The page takes the field away and goes elsewhere, just before the secret comes. */
static int reveal_late(struct tb_op *op, struct tb_str text, const struct tb_str *origins,
                       size_t count, struct tb_buf *out, struct tb_err *err)
{
    struct ops_lab *lab = op->user;
    tb_cdp_page_send(tb_cdp_session_page(lab->session), "Runtime.evaluate",
                     TB_STR("{\"expression\":\"who.remove();"
                            "location = '/other'\"}"),
                     op->deadline_ms, ignore, lab);
    return reveal(op, text, origins, count, out, err);
}

#define FILL(target) "{'target':'" target "','value':'{{secret:x}}'}"

static void a_secret_is_typed_where_it_was_asked_for(void **state)
{
    struct ops_lab *lab = *state;
    char origin[64];
    lab->reveal = reveal;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_FILL, FILL("#who"));
    snprintf(origin, sizeof(origin), "http://127.0.0.1:%d ", lab->port);
    assert_string_equal(lab->text, origin);
    ops_ok(lab, TB_OP_FILL, "{'target':'#ce','value':'{{secret:x}}','delay_ms':5}");
    assert_string_equal(ops_eval(lab, "[who.value, ce.innerText]"), "[\"hunter2!\",\"hunter2!\"]");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    const char *outline = ops_out(lab);
    assert_null(strstr(strstr(outline, "Name"), "\"hunter2!\""));
}

static void origins_are_told_from_the_field_outward(void **state)
{
    struct ops_lab *lab = *state;
    char ref[32];
    char origins[256];
    lab->reveal = reveal;
    ops_goto(lab, "/frames");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "textbox \"Name\"", ref);
    ops_ok(lab, TB_OP_FILL, "{'target':'%s','value':'{{secret:x}}'}", ref);
    snprintf(origins, sizeof(origins), "http://127.0.0.1:%d ", lab->port);
    assert_memory_equal(lab->text, origins, strlen(origins));
}

static void what_is_refused_is_not_typed(void **state)
{
    struct ops_lab *lab = *state;
    lab->reveal = refuse;
    ops_goto(lab, "/form");
    ops_fails(lab, TB_E_SECRET_SITE, TB_OP_FILL, FILL("#who"));
    assert_string_equal(lab->result.message, "not here");
    assert_string_equal(ops_eval(lab, "who.value"), "\"\"");
}

static void another_document_never_gets_what_was_for_the_one_before(void **state)
{
    struct ops_lab *lab = *state;
    lab->reveal = reveal_late;
    ops_goto(lab, "/form");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_FILL, FILL("#who"));
    ops_ok(lab, TB_OP_WAIT, "{'target':'#who'}");
    assert_string_equal(ops_eval(lab, "[document.title, who.value]"), "[\"Other\",\"\"]");
}

static void keys_type_no_secret(void **state)
{
    struct ops_lab *lab = *state;
    lab->reveal = reveal;
    ops_goto(lab, "/form");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PRESS_KEY, "{'target':'#who','text':'{{secret:x}}'}");
    assert_string_equal(ops_eval(lab, "who.value"), "\"\"");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, ops_close)

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        TEST(a_secret_is_typed_where_it_was_asked_for),
        TEST(origins_are_told_from_the_field_outward),
        TEST(what_is_refused_is_not_typed),
        TEST(another_document_never_gets_what_was_for_the_one_before),
        TEST(keys_type_no_secret),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
