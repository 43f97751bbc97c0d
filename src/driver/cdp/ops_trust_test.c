/* SPDX-License-Identifier: Apache-2.0 */
/* What is told is what happened, with a real browser: refs mean what they meant. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/keep",
     .body = "<title>Keep</title><div><p><b><i><button>Keep</button></i></b></p></div>"
             "<div><p><b><i><button>Keep</button></i></b></p></div>"},
    {.path = "/delete",
     .body = "<title>Delete</title><script>onclick = () => document.title = 'deleted'</script>"
             "<div><p><b><i><button>Delete</button></i></b></p></div>"
             "<div><p><b><i><button>Delete</button></i></b></p></div>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

/* The selector of the first row of the last table, which is a ref where nothing else fits. */
static void first_selector(struct ops_lab *lab, char ret_ref[32])
{
    const struct cJSON *row = tb_json_first(tb_json_get(lab->result.data, "elements"));
    struct tb_str selector = {"", 0};
    tb_json_str(tb_json_get(row, "selector"), &selector);
    snprintf(ret_ref, 32, "%.*s", TB_STR_ARG(tb_str_sub(selector, 0, 31)));
    assert_int_equal(ret_ref[0], 'e');
}

static void a_ref_of_an_old_document_stays_stale_whoever_gives_new_ones(void **state)
{
    struct ops_lab *lab = *state;
    char old[32];
    char new[32];
    ops_goto(lab, "/keep");
    ops_ok(lab, TB_OP_ELEMENTS, "{}");
    first_selector(lab, old);
    ops_goto(lab, "/delete");
    ops_ok(lab, TB_OP_ELEMENTS, "{}");
    first_selector(lab, new);
    assert_string_not_equal(old, new);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", old);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Delete\"");
    ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", new);
    assert_string_equal(ops_text(lab, "title"), "deleted");
}

static void a_ref_of_one_tab_means_nothing_in_another(void **state)
{
    struct ops_lab *lab = *state;
    char first[32];
    char second[32];
    ops_goto(lab, "/keep");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Keep", first);
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/delete'}", lab->port);
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Delete", second);
    assert_string_not_equal(first, second);
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", first);
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':0}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", second);
    ops_eval(lab, "document.body.append(Object.assign(document.createElement('button'), "
                  "{textContent: 'Late'}))");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    ops_ref(lab, "Late", second);
    ops_ok(lab, TB_OP_TABS, "{'action':'select','tab':1}");
    ops_fails(lab, TB_E_ELEMENT_STALE, TB_OP_CLICK, "{'target':'%s'}", second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_ref_of_an_old_document_stays_stale_whoever_gives_new_ones),
        OPS_TEST(a_ref_of_one_tab_means_nothing_in_another),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
