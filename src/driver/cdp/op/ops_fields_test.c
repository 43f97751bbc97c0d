/* SPDX-License-Identifier: Apache-2.0 */
/* Fill, keys, select, files for fields, with a real browser. */
#include "support/ops_lab.h"

static const struct ops_doc docs[] = {
    {.path = "/short",
     .body = "<form action=/two><input id=who minlength=3><input id=pw type=password minlength=8>"
             "<textarea id=area minlength=5></textarea><button id=go>Go</button></form>"},
    {.path = "/two", .body = "<title>Two</title><h1>Second</h1>"},
    {.path = "/form",
     .body =
         "<title>Form</title><form action=/two><label>Name <input id=name value=old></label>"
         "<label>Word <input id=pw type=password></label><textarea id=area>abc</textarea>"
         "<div id=ce contenteditable>edit <b>me</b></div><input id=date type=date>"
         "<input id=color type=color><input id=range type=range><input id=num type=number>"
         "<select id=sel><option value=a>Alpha<option value=b>Beta<option disabled>Gamma</select>"
         "<select id=multi multiple><option>x<option>y<option>z</select>"
         "<label><input id=check type=checkbox> Agree</label>"
         "<input type=radio name=r id=r1><input type=radio name=r id=r2>"
         "<input id=ro readonly value=fixed><input id=file type=file><input id=files type=file "
         "multiple><p id=keys></p><p id=para>no field</p><button id=go>Go</button></form>"
         "<script>name_ = document.getElementById('name');"
         "for (const t of ['keydown','input','change']) name_.addEventListener(t, e => "
         "keys.textContent += t[0] + (e.key || '') + ' ');</script>"},
    {.path = NULL},
};

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void every_kind_of_field_is_filled(void **state)
{
    static const struct {
        const char *target;
        const char *value;
        const char *script;
        const char *holds;
    } rows[] = {
        {"#name", "Ada \xc3\xa9 \xf0\x9f\x98\x80", "name_.value",
         "\"Ada \xc3\xa9 \xf0\x9f\x98\x80\""},
        {"#name", "", "name_.value", "\"\""},
        {"#pw", "secret", "pw.value", "\"secret\""},
        {"#area", "two\\nlines", "area.value", "\"two\\nlines\""},
        {"#ce", "plain", "ce.textContent", "\"plain\""},
        {"#date", "2026-01-31", "date.value", "\"2026-01-31\""},
        {"#color", "#ff0000", "color.value", "\"#ff0000\""},
        {"#range", "7", "range.value", "\"7\""},
        {"#num", "42", "num.value", "\"42\""},
        {"#sel", "Beta", "sel.value", "\"b\""},
        {"#check", "true", "check.checked", "true"},
        {"#check", "true", "check.checked", "true"},
        {"#check", "false", "check.checked", "false"},
        {"#r2", "true", "r2.checked", "true"},
        {"text=Name", "by its label", "name_.value", "\"by its label\""},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_ok(lab, TB_OP_FILL, "{'target':'%s','value':'%s'}", rows[i].target, rows[i].value);
        if (strcmp(ops_eval(lab, rows[i].script), rows[i].holds) != 0) {
            fail_msg("%s: %s, not %s", rows[i].target, ops_out(lab), rows[i].holds);
        }
    }
    assert_string_equal(ops_text(lab, "title"), "Form");
}

static void filling_adds_types_and_submits(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_FILL, "{'target':'#name','value':'+','clear_first':false}");
    assert_string_equal(ops_eval(lab, "name_.value"), "\"old+\"");
    ops_ok(lab, TB_OP_FILL, "{'target':'#area','value':'d','clear_first':false}");
    assert_string_equal(ops_eval(lab, "area.value"), "\"abcd\"");
    ops_eval(lab, "keys.textContent = ``");
    ops_ok(lab, TB_OP_FILL, "{'target':'#name','value':'aB\xc3\xa4','delay_ms':5}");
    assert_string_equal(ops_eval(lab, "name_.value"), "\"aB\xc3\xa4\"");
    assert_string_equal(ops_eval(lab, "keys.textContent"), "\"ka i kB i k\xc3\xa4 i \"");
    ops_ok(lab, TB_OP_FILL, "{'target':'#name','value':'x','submit':true}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    assert_string_equal(ops_text(lab, "navigated"), "true");
}

/* Browsers mind minlength of what a person has typed, not of what a script has put there. */
static void text_that_is_too_short_for_its_field_is_found_so(void **state)
{
    static const struct {
        const char *fill;
        const char *script;
        const char *value;
    } rows[] = {
        {"{'target':'#who','value':'Al'}", "who.value + who.validity.tooShort", "\"Altrue\""},
        {"{'target':'#pw','value':'pass'}", "pw.value + pw.validity.tooShort", "\"passtrue\""},
        {"{'target':'#area','value':'a\\nb'}", "area.value + area.validity.tooShort",
         "\"a\\nbtrue\""},
        {"{'target':'#who','value':'x','clear_first':false}", "who.value + who.validity.tooShort",
         "\"Alxfalse\""},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/short");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_ok(lab, TB_OP_FILL, "%s", rows[i].fill);
        assert_string_equal(ops_text(lab, "differs"), "");
        assert_string_equal(ops_eval(lab, rows[i].script), rows[i].value);
    }
    ops_ok(lab, TB_OP_CLICK, "{'target':'#go'}");
    assert_non_null(strstr(ops_text(lab, "invalid"), "\"unsent\":true"));
    ops_ok(lab, TB_OP_FILL_FORM,
           "{'fields':[{'target':'#pw','value':'password'},{'target':'#area','value':''}]}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#go'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
}

static void what_takes_no_text_says_so(void **state)
{
    static const struct {
        const char *args;
        int code;
        const char *words;
    } rows[] = {
        {"{'target':'#para','value':'x'}", TB_E_WRONG_ELEMENT, "does not accept text"},
        {"{'target':'#ro','value':'x'}", TB_E_WRONG_ELEMENT, "read-only"},
        {"{'target':'#file','value':'x'}", TB_E_TAKES_FILES, "takes files, not text"},
        {"{'target':'#zz','value':'x'}", TB_E_ELEMENT_NOT_FOUND, "#zz"},
        {"{'target':'#date','value':'tomorrow'}", TB_E_PARAMS, "YYYY-MM-DD"},
        {"{'target':'#check','value':'maybe'}", TB_E_PARAMS, "true or false"},
        {"{'target':'#sel','value':'Delta'}", TB_E_WRONG_VALUE, "Alpha"},
    };
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        ops_begin(lab, TB_OP_FILL, 1200, rows[i].args);
        int code = ops_end(lab);
        if (code != rows[i].code || !strstr(lab->result.message, rows[i].words)) {
            fail_msg("%s: %s: %s", rows[i].args, tb_err_name(code), lab->result.message);
        }
    }
}

static void a_form_is_filled_in_one_go(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_FILL_FORM,
           "{'fields':[{'target':'#name','value':'n'},{'target':'#pw','value':'p'},"
           "{'target':'#check','value':'true'},{'target':'#sel','value':'b'},"
           "{'target':'#date','value':'2026-02-03'}]}");
    assert_int_equal(ops_int(lab, "filled"), 5);
    assert_string_equal(
        ops_eval(lab, "[name_.value, pw.value, check.checked, sel.value, date.value]"),
        "[\"n\",\"p\",true,\"b\",\"2026-02-03\"]");
    ops_begin(lab, TB_OP_FILL_FORM, 1200,
              "{'fields':[{'target':'#name','value':'m'},{'target':'#zz','value':'p'}]}");
    assert_int_equal(ops_end(lab), TB_E_ELEMENT_NOT_FOUND);
    assert_non_null(strstr(lab->result.message, "1 field was filled; field 2 (#zz): "));
    assert_int_equal(ops_int(lab, "filled"), 1);
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_FILL_FORM,
              "{'fields':[{'target':'#sel','value':'none'}]}");
    assert_non_null(strstr(lab->result.message, "has no option \"none\"; it has "));
    ops_fails(lab, TB_E_PARAMS, TB_OP_FILL_FORM, "{'fields':[]}");
}

static void keys_and_chords_reach_the_page(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'target':'#name','key':'Control+A'}");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'x'}");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'Shift+y'}");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'text':'z \xc3\xa4'}");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'Backspace'}");
    assert_string_equal(ops_eval(lab, "name_.value"), "\"xYz \"");
    const char *keys = ops_eval(lab, "keys.textContent");
    assert_non_null(strstr(keys, "kControl kA "));
    assert_non_null(strstr(keys, "kz i k  i k\xc3\xa4 i "));
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'Tab'}");
    assert_string_equal(ops_eval(lab, "document.activeElement.id"), "\"pw\"");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'key':'Enter'}");
    assert_string_equal(ops_text(lab, "title"), "Two");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PRESS_KEY, "{'key':'Entr'}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PRESS_KEY, "{}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PRESS_KEY, "{'key':'a','text':'b'}");
}

static void a_long_text_that_is_for_nobody_is_told(void **state)
{
    struct ops_lab *lab = *state;
    char text[2100];
    memset(text, 'x', sizeof(text));
    ops_goto(lab, "/two");
    ops_fails(lab, TB_E_PARAMS, TB_OP_PRESS_KEY, "{'text':'%.*s'}", (int)sizeof(text), text);
    assert_non_null(strstr(lab->result.message, "nothing had the focus"));
    ops_eval(lab, "document.body.innerHTML = `<input id=i>`, i.focus(), 0");
    ops_ok(lab, TB_OP_PRESS_KEY, "{'text':'%.*s'}", (int)sizeof(text), text);
    assert_string_equal(ops_eval(lab, "i.value.length"), "2100");
}

static void options_are_selected(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_SELECT, "{'target':'#sel','values':['Beta']}");
    assert_string_equal(ops_text(lab, "selected"), "[\"Beta\"]");
    ops_ok(lab, TB_OP_SELECT, "{'target':'#multi','values':['x','z']}");
    assert_string_equal(ops_text(lab, "selected"), "[\"x\",\"z\"]");
    assert_string_equal(ops_text(lab, "title"), "Form");
    ops_ok(lab, TB_OP_FILL, "{'target':'#sel','value':'alpha'}");
    assert_string_equal(ops_text(lab, "now"), "");
    ops_ok(lab, TB_OP_FILL, "{'target':'#sel','value':'b'}"); /* by its value: the label is told */
    assert_string_equal(ops_text(lab, "now"), "Beta");
    assert_string_equal(ops_text(lab, "differs"), "");
    ops_begin(lab, TB_OP_SELECT, 1200, "{'target':'#sel','values':['Delta']}");
    assert_int_equal(ops_end(lab), TB_E_WRONG_VALUE);
    assert_non_null(strstr(lab->result.message, "\"Alpha\", \"Beta\""));
    ops_eval(lab, "sel.onchange = () => { sel.selectedIndex = 0 }, 0");
    ops_fails(lab, TB_E_WRONG_VALUE, TB_OP_SELECT, "{'target':'#sel','values':['Beta']}");
    assert_non_null(strstr(lab->result.message, "it now has \"Alpha\" selected"));
}

static void files_go_in_by_name_only(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/form");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#file','content':[{'name':'a.txt','text':'hello'}]}");
    assert_string_equal(ops_text(lab, "files"), "[\"a.txt\"]");
    assert_string_equal(ops_eval(lab, "file.files[0].text()"), "\"hello\"");
    ops_ok(lab, TB_OP_UPLOAD,
           "{'target':'#files','paths':['a.txt'],'content':[{'name':'b.bin','base64':'AAEC'}]}");
    assert_string_equal(ops_eval(lab, "[...files.files].map(f => [f.name, f.size])"),
                        "[[\"a.txt\",5],[\"b.bin\",3]]");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#file','paths':['a.txt','b.bin']}");
    assert_string_equal(ops_text(lab, "now"), "[\"a.txt\"]");
    ops_eval(lab, "document.querySelector(`#file`).onchange = e => { e.target.value = `` }; 0");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#file','paths':['b.bin']}");
    assert_string_equal(ops_text(lab, "now"), "[]");
    ops_eval(lab, "document.querySelector(`#file`).onchange = () => location.reload(); 0");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#file','paths':['a.txt']}");
    ops_fails(lab, TB_E_FILE_OUTSIDE, TB_OP_UPLOAD, "{'target':'#file','paths':['/etc/passwd']}");
    ops_fails(lab, TB_E_FILE_OUTSIDE, TB_OP_UPLOAD, "{'target':'#file','paths':['../x']}");
    ops_fails(lab, TB_E_NOT_FOUND, TB_OP_UPLOAD, "{'target':'#file','paths':['zz.txt']}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "{'target':'#file'}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD,
              "{'target':'#file','content':[{'name':'x','base64':'!'}]}");
    ops_fails(lab, TB_E_TAKES_NO_FILES, TB_OP_UPLOAD, "{'target':'#name','paths':['a.txt']}");
    assert_non_null(strstr(lab->result.message, "is not a file input"));
}

static void what_calls_write_has_the_ceilings_of_downloads(void **state)
{
    struct ops_lab *lab = *state;
    const int64_t total = lab->config.browser_downloads_max_bytes;
    const int64_t room = lab->config.browser_downloads_room_min_bytes;
    static const char file[] = "{'target':'#file','content':[{'name':'a.txt','text':'hello'}]}";
    ops_goto(lab, "/form");
    lab->config.browser_downloads_max_bytes = 5;
    ops_ok(lab, TB_OP_UPLOAD, file);
    ops_ok(lab, TB_OP_UPLOAD, file); /* in the place of the other */
    ops_fails(lab, TB_E_TOO_LARGE, TB_OP_UPLOAD,
              "{'target':'#file','content':[{'name':'b.txt','text':'!'}]}");
    ops_fails(lab, TB_E_TOO_LARGE, TB_OP_PDF, "{}");
    lab->config.browser_downloads_max_bytes = total;
    lab->config.browser_downloads_room_min_bytes = INT64_MAX;
    ops_fails(lab, TB_E_STORE, TB_OP_UPLOAD, file);
    ops_fails(lab, TB_E_STORE, TB_OP_PDF, "{}");
    lab->config.browser_downloads_room_min_bytes = room;
    ops_ok(lab, TB_OP_PDF, "{}");
    assert_string_equal(ops_text(lab, "file"), "page-1.pdf");
    ops_close(state);
    ops_open(state);
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(every_kind_of_field_is_filled),
        OPS_TEST(filling_adds_types_and_submits),
        OPS_TEST(text_that_is_too_short_for_its_field_is_found_so),
        OPS_TEST(what_takes_no_text_says_so),
        OPS_TEST(a_form_is_filled_in_one_go),
        OPS_TEST(keys_and_chords_reach_the_page),
        OPS_TEST(a_long_text_that_is_for_nobody_is_told),
        OPS_TEST(options_are_selected),
        OPS_TEST(files_go_in_by_name_only),
        OPS_TEST(what_calls_write_has_the_ceilings_of_downloads),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
