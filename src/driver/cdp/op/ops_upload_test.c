/* SPDX-License-Identifier: Apache-2.0 */
/* Files for what a page asks them with: a chooser that it opens by script, a place to drop them.
 * With a real browser. */
#include "driver/cdp/page/inner.h"

#include "support/ops_lab.h"

#define CHOOSE                                                                              \
    "function choose(name, rest) { const field = document.createElement('input');"          \
    "Object.assign(field, {type: 'file'}, rest); field.onchange = async () => {"            \
    "document.title = name + ': ' + [...field.files].map(each => each.name) + ' ' + await " \
    "field.files[0].text() }; field.click() }"

static const struct ops_doc docs[] = {
    {.path = "/",
     .body = "<title>Home</title><script>" CHOOSE "</script>"
             "<button id=one onclick=\"choose('one', {accept: 'image/*,.pdf'})\">One</button>"
             "<button id=two onclick=\"choose('two', {multiple: true})\">Two</button>"
             "<button id=picker onclick=\"showOpenFilePicker().catch(() => 0)\">Picker</button>"
             "<label id=label for=field>Label</label><input id=field type=file>"
             "<button id=drain onclick=\"const field = document.createElement('input');"
             "field.type = 'file'; field.onchange = () => { field.value = '';"
             "document.querySelector('#status').textContent = 'Emptied' }; field.click()\">"
             "Drain</button><p id=status></p><input id=tree type=file webkitdirectory>"},
    {.path = "/two", .body = "<title>Two</title>"},
    {.path = "/same", .body = "<iframe src=/ width=600 height=300></iframe>"},
    {.path = "/other",
     .body = "<iframe src='http://localhost:{port}/' width=600 height=300></iframe>"},
    {.path = "/zone",
     .body = "<title>Zone</title><p id=zone ondragover=event.preventDefault() ondrop=\""
             "event.preventDefault(); const [file] = event.dataTransfer.files;"
             "file.text().then(text => { this.textContent = file.name + ' ' + text;"
             "document.title = this.textContent })\">Drop here</p><p id=no>Not here</p>"
             "<input id=text>"
             "<div id=box ondragover='throw 1'><input type=file hidden></div>"},
    {.path = "/shifts",
     .body = "<style>p { height: 100px; margin: 0 }</style><div id=above></div><p id=keep>Keep</p>"
             "<p id=trash ondrop=\"event.preventDefault(); document.title = 'trash'\">Trash</p>"
             "<script>ondragenter = event => event.preventDefault();"
             "ondragover = event => { event.preventDefault();"
             "above.style.marginTop = '-100px' }</script>"},
    {.path = "/asks",
     .body = "<p id=zone>Zone</p><script>let got = 0; ondrop = () => { got++; ask('drop') };"
             "ondragover = event => { event.preventDefault(); ask('over') };"
             "function ask(when) { if (location.hash === '#' + when) alert(when) }</script>"},
    {.path = "/leads",
     .body = "<p id=zone ondragover=event.preventDefault() ondrop=\"location = '/two'\">Zone</p>"},
    {.path = "/removes",
     .body = "<p id=zone ondragover=event.preventDefault() ondrop=\"this.remove();"
             "document.title = event.dataTransfer.files[0].name\">Zone</p>"},
    {.path = "/once", /* takes them when it is asked first, and not when it is asked again */
     .body = "<p id=zone>Zone</p><script>let asked = 0;"
             "ondragover = event => { if (!asked++) event.preventDefault() }</script>"},
    {.path = "/covers",
     .body = "<style>* { margin: 0 } p { height: 150px } iframe { position: absolute; left: 0; top:"
             " 400px; width: 100%; height: 300px; border: 0 }</style><p id=zone>Zone</p>"
             "<iframe id=other src='http://localhost:{port}/takes'></iframe><iframe id=same "
             "src=/takes></iframe><script>let got = 0; zone.ondragover = event => {"
             "event.preventDefault(); document.querySelector(location.hash).style.top = 0 };"
             " ondrop = () => got++;"
             "</script>"},
    {.path = "/takes",
     .body = "<body style='height:300px'><b>Hungry</b><script>let got = 0; ondragover = event => "
             "event.preventDefault(); ondrop = event => { event.preventDefault(); got++;"
             "document.body.firstChild.textContent = 'Fed' }</script>"},
    {.path = "/inner", .body = "<iframe src=/zone width=600 height=300></iframe>"},
    {.path = "/dragged",
     .body = "<p id=card draggable=true>Card</p><div style='position:relative'><p id=pile>Pile</p>"
             "<b style='position:absolute;inset:0'>Over it</b></div>"
             "<iframe src=/zone width=600 height=300></iframe>"},
    {.path = "/points",
     .body = "<title>Home</title><iframe src=file:///etc/passwd></iframe>"
             "<iframe src=chrome://version></iframe><iframe src=view-source:about:blank></iframe>"},
    {.path = "/passes_on", /* a file that it was given, in a drag of its own that nothing takes */
     .body = "<title>Home</title><input id=field type=file><p id=card draggable=true>Card</p>"
             "<p id=pile>Pile</p><script>let asked = 0;"
             "card.ondragstart = event => event.dataTransfer.items.add(field.files[0]);"
             "ondragover = event => { if (!asked++) event.preventDefault() }</script>"},
    {.path = NULL},
};

static const char file[] = "{'content':[{'name':'a.txt','text':'hello'}]}";

static int start(void **state)
{
    return ops_lab_start(state, docs);
}

static void wait_for_title(struct ops_lab *lab, const char *where, const char *title)
{
    char script[256];
    snprintf(script, sizeof(script),
             "new Promise(r => { const look = () => %s.title === `%s` ? r(1) : "
             "setTimeout(look, 5); look() })",
             where, title);
    assert_string_equal(ops_eval(lab, script), "1");
}

static void a_chooser_that_a_script_opens_is_told_and_answered(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    assert_string_equal(ops_text(lab, "chooser"),
                        "{\"open\":true,\"multiple\":false,\"accept\":\"image/*,.pdf\"}");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}"); /* it is in nobody's way, and told once */
    assert_string_equal(ops_text(lab, "chooser"), "");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD,
              "{'content':[{'name':'a.txt','text':'x'},{'name':'b.txt','text':'y'}]}");
    ops_fails(lab, TB_E_FILE_OUTSIDE, TB_OP_UPLOAD, "{'paths':['/etc/passwd']}");
    ops_ok(lab, TB_OP_UPLOAD, "%s", file);
    assert_string_equal(ops_text(lab, "element"), "");
    assert_string_equal(ops_text(lab, "unaccepted"), "[\"a.txt\"]"); /* taken all the same */
    assert_string_equal(ops_text(lab, "accept"), "image/*,.pdf");
    wait_for_title(lab, "document", "one: a.txt hello");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "%s", file); /* answered */
    assert_non_null(strstr(lab->result.message, "no file chooser open"));
}

static void a_field_or_label_that_is_clicked_opens_a_chooser_too(void **state)
{
    static const char *const targets[] = {"#field", "#label"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(targets); i++) {
        ops_goto(lab, "/");
        ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", targets[i]);
        assert_string_equal(ops_text(lab, "chooser"), "{\"open\":true,\"multiple\":false}");
        ops_ok(lab, TB_OP_UPLOAD, "%s", file);
        assert_string_equal(ops_eval(lab, "field.files[0].name"), "\"a.txt\"");
    }
}

static void what_the_field_of_a_chooser_has_then_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#drain'}");
    ops_ok(lab, TB_OP_UPLOAD, "%s", file);
    assert_string_equal(ops_text(lab, "now"), "[]");
    assert_string_equal(ops_text(lab, "changes"), "+ text: Emptied");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#two'}");
    ops_ok(lab, TB_OP_UPLOAD, "%s", file);
    assert_string_equal(ops_text(lab, "now"), "[\"a.txt\"]");
}

static void the_last_chooser_counts_and_goes_with_its_document(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#two'}");
    assert_string_equal(ops_text(lab, "chooser"), "{\"open\":true,\"multiple\":true}");
    ops_ok(lab, TB_OP_UPLOAD,
           "{'content':[{'name':'a.txt','text':'x'},{'name':'b.txt','text':'y'}]}");
    wait_for_title(lab, "document", "two: a.txt,b.txt x");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    ops_goto(lab, "/two");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "%s", file);
    ops_goto(lab, "/same");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#one'}");
    ops_eval(lab, "document.querySelector(`iframe`).remove()");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "%s", file);
}

static void a_picker_without_a_field_is_told_as_what_it_is(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#picker'}");
    assert_string_equal(ops_text(lab, "chooser"), "{\"open\":false,\"multiple\":false}");
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "%s", file);
}

static void what_takes_a_directory_is_told_before_files_are_given(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_eval(lab, "tree.onchange = () => { document.title = `changed` }, 0");
    ops_fails(lab, TB_E_NOT_POSSIBLE, TB_OP_UPLOAD,
              "{'target':'#tree','content':[{'name':'a.txt','text':'hello'}]}");
    assert_non_null(strstr(lab->result.message, "takes a whole directory"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
    ops_ok(lab, TB_OP_CLICK, "{'target':'#tree'}");
    assert_non_null(strstr(ops_text(lab, "chooser"), "\"open\":false"));
    ops_fails(lab, TB_E_PARAMS, TB_OP_UPLOAD, "%s", file);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
}

static void so_many_files_at_once_are_refused(void **state)
{
    struct ops_lab *lab = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf paths = TB_BUF(65536);
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#field','content':[{'name':'a.txt','text':'hello'}]}");
    assert_string_equal(ops_text(lab, "unaccepted"), "");
    for (int i = 0; i < 101; i++) {
        tb_buf_printf(&paths, "%s'a.txt'", i ? "," : "");
    }
    ops_fails(lab, TB_E_TOO_LARGE, TB_OP_UPLOAD, "{'target':'#field','paths':[%.*s]}",
              TB_STR_ARG(tb_buf_str(&paths)));
}

static void choosers_of_frames_are_answered(void **state)
{
    static const char *const paths[] = {"/same", "/other"};
    struct ops_lab *lab = *state;
    char ref[32];
    for (size_t i = 0; i < TB_COUNT(paths); i++) {
        ops_goto(lab, paths[i]);
        ops_ok(lab, TB_OP_SNAPSHOT, "{}");
        ops_ref(lab, "\"One\"", ref);
        ops_ok(lab, TB_OP_CLICK, "{'target':'%s'}", ref);
        assert_non_null(strstr(ops_text(lab, "chooser"), "\"accept\":\"image/*,.pdf\""));
        ops_ok(lab, TB_OP_UPLOAD, "%s", file);
        ops_ok(lab, TB_OP_EVALUATE,
               "{'target':'%s','script':'e => new Promise(r => { const look = () => "
               "e.ownerDocument.title === `one: a.txt hello` ? r(1) : setTimeout(look, 5); look() "
               "})'}",
               ref);
    }
}

static void files_are_dropped_on_what_takes_them(void **state)
{
    static const char *const paths[] = {"/zone", "/inner"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(paths); i++) {
        ops_goto(lab, paths[i]);
        ops_ok(lab, TB_OP_UPLOAD, "{'target':'#zone','content':[{'name':'a.txt','text':'hello'}]}");
        assert_string_equal(ops_text(lab, "dropped"), "true");
        wait_for_title(lab, i ? "frames[0].document" : "document", "a.txt hello");
    }
}

static void whoever_gets_the_files_instead_is_told(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/shifts");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#keep','content':[{'name':'a.txt','text':'hello'}]}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_non_null(strstr(ops_text(lab, "instead"), "Trash"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"trash\"");
}

#define DROP "{'target':'#zone','content':[{'name':'a.html','text':'hello'}]}"

static void a_dialog_before_the_drop_is_not_told_as_one_after_it(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/asks#over");
    ops_fails(lab, TB_E_DIALOG_OPEN, TB_OP_UPLOAD, DROP);
    assert_non_null(strstr(lab->result.message, "nothing was dropped, because "));
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_eval(lab, "got"), "0");
    ops_goto(lab, "/two");
    ops_goto(lab, "/asks#drop");
    ops_ok(lab, TB_OP_UPLOAD, DROP);
    assert_string_equal(ops_text(lab, "dropped"), "true");
    ops_ok(lab, TB_OP_DIALOG, "{'accept':true}");
    assert_string_equal(ops_eval(lab, "got"), "1");
}

static void a_drop_may_lead_elsewhere_or_take_its_place_away(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/leads");
    ops_ok(lab, TB_OP_UPLOAD, DROP);
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_string_equal(ops_text(lab, "title"), "Two");
    ops_goto(lab, "/removes");
    ops_ok(lab, TB_OP_UPLOAD, DROP);
    assert_string_equal(ops_text(lab, "dropped"), "true");
    assert_string_equal(ops_text(lab, "instead"), "");
    assert_string_equal(ops_eval(lab, "document.title"), "\"a.html\"");
}

/* With a drag of the browser's it got the files, and that was told as a drop on the target. */
static void a_frame_of_another_site_that_comes_there_gets_nothing(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/covers#other");
    ops_fails(lab, TB_E_WRONG_ELEMENT, TB_OP_UPLOAD, DROP);
    assert_non_null(strstr(lab->result.message, "nothing was dropped"));
    assert_non_null(strstr(lab->result.message, "<iframe id="));
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_non_null(strstr(ops_out(lab), "Hungry"));
    assert_null(strstr(ops_out(lab), "Fed"));
    ops_goto(lab, "/two");
    ops_goto(lab, "/covers#same");
    ops_ok(lab, TB_OP_UPLOAD, DROP);
    assert_non_null(strstr(ops_text(lab, "instead"), "<body"));
    assert_string_equal(ops_eval(lab, "[got, same.contentWindow.eval(`got`)].join()"), "\"0,1\"");
}

static void a_drag_that_came_to_nothing_is_over_when_files_are_dropped(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/dragged");
    ops_ok(lab, TB_OP_DRAG, "{'target':'#card','to':'#pile'}");
    assert_string_equal(ops_text(lab, "dropped"), "false");
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#zone','content':[{'name':'a.txt','text':'hello'}]}");
    assert_string_equal(ops_text(lab, "dropped"), "true");
    wait_for_title(lab, "frames[0].document", "a.txt hello");
}

/* The browser would show the file in a tab of its own, and that could open all others. */
static void a_drop_that_nothing_takes_shows_no_file(void **state)
{
    static const char *const paths[] = {"/once", "/zone", "/zone"};
    static const char *const ways[] = {"0", "zone.remove()", "zone.style.marginTop = `300px`"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(ways); i++) {
        uint64_t opened = tb_cdp_session_tabs_opened(lab->session);
        char script[160];
        ops_goto(lab, paths[i]);
        snprintf(script, sizeof(script),
                 "addEventListener(`dragover`, () => { setTimeout(() => { %s }) }), 0", ways[i]);
        ops_eval(lab, script);
        ops_run(
            lab, TB_OP_UPLOAD,
            "{'target':'#zone','content':[{'name':'a.html','text':'<script>open()</script>'}]}");
        ops_goto(lab, paths[i]); /* what the drop has begun is told before this ends */
        assert_int_equal(tb_cdp_session_page_count(lab->session), 1);
        assert_int_equal(tb_cdp_session_tabs_opened(lab->session), opened);
        assert_null(strstr(ops_eval(lab, "location.href"), "file:"));
    }
}

static void a_drag_of_a_page_shows_no_file_either(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/passes_on");
    uint64_t opened = tb_cdp_session_tabs_opened(lab->session);
    ops_ok(lab, TB_OP_UPLOAD,
           "{'target':'#field','content':[{'name':'a.html','text':'<script>open()</script>'}]}");
    ops_run(lab, TB_OP_DRAG, "{'target':'#card','to':'#pile'}");
    ops_goto(lab, "/passes_on");
    assert_int_equal(tb_cdp_session_tabs_opened(lab->session), opened);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
}

/* Shows a file that holds this, whatever has led there. */
static void show_file(struct ops_lab *lab, const char *html)
{
    char params[600];
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#field','content':[{'name':'a.html','text':'%s'}]}",
           html);
    snprintf(params, sizeof(params), "{\"url\":\"file://%s/%s\"}", ops_text(lab, "directory"),
             "a.html");
    struct tb_cdp_page *page = tb_cdp_session_page(lab->session);
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), "Page.navigate",
                tb_str_of(params));
    OPS_WAIT(lab, tb_cdp_session_page(lab->session) != page || tb_cdp_page_is_inner(page));
}

/* Whoever asks at once is told; then there is a tab again that shows nothing of it. */
static void see_nothing(struct ops_lab *lab)
{
    while (ops_run(lab, TB_OP_SNAPSHOT, "{}") < 0) {
        assert_int_equal(lab->result.code, TB_E_TAB_NOT_FOUND);
        OPS_WAIT(lab, tb_cdp_session_page(lab->session) &&
                          !tb_cdp_page_is_inner(tb_cdp_session_page(lab->session)));
    }
    assert_null(strstr(ops_out(lab), "root:"));
}

static void a_tab_that_shows_a_file_is_closed(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/");
    ops_ok(lab, TB_OP_TABS, "{'action':'new','url':'http://127.0.0.1:%d/'}", lab->port);
    show_file(lab, "<p>Receipt");
    see_nothing(lab);
    OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1);
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
}

/* They are of its origin, so they can show all other files. */
static void windows_that_a_file_opens_are_closed_with_it(void **state)
{
    static const char *const ways[] = {
        "const w = open(`about:blank`); w.document.write(inside); w.document.close()",
        "open(URL.createObjectURL(new Blob([inside], {type: `text/html`})))",
        "open(URL.createObjectURL(new Blob([inside], {type: `text/html`})), ``, `noopener`)",
        "location = URL.createObjectURL(new Blob([inside], {type: `text/html`}))",
    };
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(ways); i++) {
        char html[400];
        snprintf(html, sizeof(html),
                 "<script>const inside = `<p>Receipt<iframe src=file:///etc/passwd></iframe>`;"
                 "%s</script>",
                 ways[i]);
        ops_goto(lab, "/");
        show_file(lab, html);
        see_nothing(lab);
        OPS_WAIT(lab, tb_cdp_session_page_count(lab->session) == 1 &&
                          !tb_cdp_page_is_inner(tb_cdp_session_page(lab->session)));
        see_nothing(lab);
    }
}

static void a_page_that_only_points_at_files_stays(void **state)
{
    struct ops_lab *lab = *state;
    ops_goto(lab, "/points");
    ops_eval(lab, "[open(`file:///etc/passwd`), open(`chrome://version`)].length");
    ops_ok(lab, TB_OP_SNAPSHOT, "{}");
    assert_null(strstr(ops_out(lab), "root:"));
    assert_string_equal(ops_eval(lab, "document.title"), "\"Home\"");
}

static void files_are_not_dropped_on_what_does_not_take_them(void **state)
{
    static const char *const targets[] = {"#no", "#text"};
    struct ops_lab *lab = *state;
    for (size_t i = 0; i < TB_COUNT(targets); i++) {
        ops_goto(lab, "/zone");
        ops_fails(lab, TB_E_TAKES_NO_FILES, TB_OP_UPLOAD,
                  "{'target':'%s','content':[{'name':'a.txt','text':'hello'}]}", targets[i]);
        assert_non_null(strstr(lab->result.message, "does not accept files"));
        assert_int_equal(tb_cdp_session_page_count(lab->session), 1);
    }
    ops_ok(lab, TB_OP_UPLOAD, "{'target':'#box','content':[{'name':'a.txt','text':'hello'}]}");
    assert_string_equal(ops_text(lab, "dropped"), "");
    assert_string_equal(ops_eval(lab, "box.firstChild.files[0].name"), "\"a.txt\"");
}

int main(int argc, char **argv)
{
    if (tb_exec_guard_wanted(argc, argv)) {
        return tb_exec_guard_main(argc, argv);
    }
    const struct CMUnitTest tests[] = {
        OPS_TEST(a_chooser_that_a_script_opens_is_told_and_answered),
        OPS_TEST(a_field_or_label_that_is_clicked_opens_a_chooser_too),
        OPS_TEST(what_the_field_of_a_chooser_has_then_is_told),
        OPS_TEST(the_last_chooser_counts_and_goes_with_its_document),
        OPS_TEST(a_picker_without_a_field_is_told_as_what_it_is),
        OPS_TEST(what_takes_a_directory_is_told_before_files_are_given),
        OPS_TEST(so_many_files_at_once_are_refused),
        OPS_TEST(choosers_of_frames_are_answered),
        OPS_TEST(files_are_dropped_on_what_takes_them),
        OPS_TEST(whoever_gets_the_files_instead_is_told),
        OPS_TEST(a_dialog_before_the_drop_is_not_told_as_one_after_it),
        OPS_TEST(a_drop_may_lead_elsewhere_or_take_its_place_away),
        OPS_TEST(a_frame_of_another_site_that_comes_there_gets_nothing),
        OPS_TEST(a_drag_that_came_to_nothing_is_over_when_files_are_dropped),
        OPS_TEST(a_drop_that_nothing_takes_shows_no_file),
        OPS_TEST(a_drag_of_a_page_shows_no_file_either),
        OPS_TEST(a_tab_that_shows_a_file_is_closed),
        OPS_TEST(windows_that_a_file_opens_are_closed_with_it),
        OPS_TEST(a_page_that_only_points_at_files_stays),
        OPS_TEST(files_are_not_dropped_on_what_does_not_take_them),
    };
    return cmocka_run_group_tests(tests, start, ops_lab_stop);
}
