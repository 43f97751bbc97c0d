/* SPDX-License-Identifier: Apache-2.0 */
/* Several tools on one session in one call.
 *
 *   run: read all steps -> look (tabs) -> step 1 -> ... -> step n, or the first that fails -> look
 * again -> finish
 *
 * Nothing runs unless all steps are understood. `fn`s of steps come from the loop, each once, also
 * when the call ends early: the step under way then fails, and so does every further one, so the
 * way to the end is always the same.
 *
 * data: {completed, steps: [{action, text}], failed: {index, action, error, message}, stateChange:
 * {url: {from, to}, title: {from, to}} or null}; image: of the last step that gave one. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/call.h"
#include "core/limits.h"
#include "core/toolbox.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

enum {
    STEPS_MAX = 100,
    MEMBERS_MAX = 100, /* of a step; no tool takes nearly as many */
    NAME_MAX_SHOWN = 60,
};

/* The common arguments, for clients that send only what is named; all others are taken too. */
static const struct tb_param step_fields[] = {
    {.name = "action", .type = TB_PARAM_TEXT, .required = true, .help = "Name of a tool"},
    {.name = "target", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "value", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "key", .type = TB_PARAM_TEXT, .help = ""},
    TB_PARAM_ROW_END,
};

static const struct tb_param params[] = {
    {.name = "actions",
     .type = TB_PARAM_OBJECTS,
     .required = true,
     .help = "",
     .fields = step_fields,
     .open = true},
    TB_PARAM_ROW_END,
};

struct step {
    struct tb_str action; /* in the call's arguments */
    const char *key;      /* that it stands under */
    const struct tb_tool *tool;
    const struct tb_face *face; /* by whose name it was called; NULL: by the tool's own */
    struct cJSON *args;
};

struct sequence {
    struct step steps[STEPS_MAX];
    size_t count;
    size_t at;
    struct cJSON *before;   /* {url, title} of the current tab */
    struct cJSON *outcomes; /* of the steps so far */
    int code;               /* of the step that failed */
    char message[1024];
};

static void sequence_free(struct sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) {
        tb_json_free(sequence->steps[i].args);
    }
    tb_json_free(sequence->before);
    tb_json_free(sequence->outcomes);
    tb_free(sequence);
}

/* Reading the steps. */

/* Whose steps they are. */
struct reader {
    const struct tb_core *core;
    const struct tb_caller *caller;
};

static const struct tb_face *find_face(const struct reader *reader, struct tb_str name)
{
    for (const struct tb_toolset *const *set = reader->core->views.kit->toolsets; *set; set++) {
        const struct tb_face *face = tb_face_find(*set, name);
        if (face) {
            return face;
        }
    }
    return NULL;
}

/* What the caller was given, by its own name there (what a session brings takes raw bytes and
 * cannot be a step); or in the words of another toolset: "set_value" for browser_fill. */
static int find_step(const struct reader *reader, struct tb_str name, struct tb_entry *ret_entry,
                     struct tb_err *err)
{
    const struct tb_view *view = reader->caller->view;
    const struct tb_face *face = view && view->toolset->faces ? NULL : find_face(reader, name);
    if (face && tb_toolbox_find(reader->core, reader->caller, NULL, name, ret_entry, NULL) < 0) {
        int rc = tb_toolbox_find(reader->core, reader->caller, NULL, tb_str_of(face->tool->name),
                                 ret_entry, err);
        ret_entry->face = face;
        return rc;
    }
    return tb_toolbox_find(reader->core, reader->caller, NULL, name, ret_entry, err);
}

static bool is_blank(const struct cJSON *value)
{
    struct tb_str text;
    return tb_json_is_null(value) || (tb_json_str(value, &text) && !text.len);
}

/* Which member is the name of the tool. Some agents say "tool", or "name" as in a call, and then
 * "action" may be an argument: {"tool": "browser_tabs", "action": "new"}. */
static bool find_action(const struct reader *reader, const struct cJSON *given, struct step *step)
{
    static const char *const keys[] = {"tool", "action", "name"}; /* no tool takes "tool" */
    struct tb_entry entry;
    step->key = NULL;
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        struct tb_str text;
        if (!tb_json_str(tb_json_get(given, keys[i]), &text) || !text.len) {
            continue;
        }
        bool known = find_step(reader, text, &entry, NULL) != TB_E_UNKNOWN_TOOL;
        if (known || !step->key) {
            step->action = text;
            step->key = keys[i];
        }
        if (known) {
            break;
        }
    }
    return step->key != NULL;
}

/* Whether a member says once more which tool it is: {"tool": "browser_click", "action": "click"}.
 * But whatever the tool takes as "name", say of a saved state, is an argument; an "action" is one
 * of a few words, none of which is the tool. */
static bool names_again(const struct reader *reader, const struct step *step,
                        const struct cJSON *member, const struct tb_param *rows)
{
    const char *key = tb_json_name(member);
    struct tb_entry entry;
    struct tb_str text;
    bool is_name = strcmp(key, "name") == 0;
    bool is_key = is_name || strcmp(key, "action") == 0 || strcmp(key, "tool") == 0;
    bool is_taken = is_name && tb_args_know(rows, tb_str_of(key));
    return is_key && !is_taken && tb_json_str(member, &text) &&
           find_step(reader, text, &entry, NULL) == 0 && entry.tool == step->tool;
}

/* The arguments that stand together, as in a call, perhaps as text; NULL: they do not. */
static struct cJSON *inner_args(const struct cJSON *given, const struct tb_param *rows)
{
    const struct cJSON *inner = tb_json_get(given, "arguments");
    struct tb_str text;
    if (tb_args_know(rows, TB_STR("arguments"))) {
        return NULL;
    }
    struct cJSON *args = tb_json_str(inner, &text) ? tb_args_from_text(text) : tb_json_dup(inner);
    if (!tb_json_is_object(args)) {
        tb_json_free(args);
        return NULL;
    }
    return args;
}

/* Of two members with one name nobody knows which is meant. */
static int fail_twice(const char *name, struct tb_err *err)
{
    struct tb_quoted shown;
    return tb_fail(err, TB_E_PARAMS, "%s is given twice", tb_quoted(&shown, tb_str_of(name), 0));
}

/* Adds to the arguments of a step those that do not stand together, without the common ones that
 * are of no use to it and hold nothing. */
static int add_outer(const struct reader *reader, const struct step *step,
                     const struct cJSON *given, const struct tb_param *rows, const char *skipped,
                     struct cJSON *args, struct tb_err *err)
{
    JSON_ARRAY_FOREACH(member, given) {
        const char *name = tb_json_name(member);
        bool idle = is_blank(member) && !tb_args_know(rows, tb_str_of(name));
        if (strcmp(name, skipped) == 0 || strcmp(name, step->key) == 0 || idle ||
            names_again(reader, step, member, rows)) {
            continue;
        }
        if (tb_json_get(args, name)) {
            return fail_twice(name, err);
        }
        tb_json_set_take(args, name, tb_json_dup(member));
    }
    return 0;
}

/* The arguments of a step, checked. */
static int read_args(const struct reader *reader, const struct step *step,
                     const struct cJSON *given, const struct tb_param *rows,
                     struct cJSON **ret_args, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *args = inner_args(given, rows);
    const char *skipped = args ? "arguments" : "";
    args = args ? args : tb_json_new_object();
    int rc = add_outer(reader, step, given, rows, skipped, args, err);
    return rc < 0 ? rc : tb_args_check(rows, args, ret_args, err);
}

static int read_face(const struct reader *reader, const struct tb_face *face,
                     const struct cJSON *given, struct step *step, struct tb_err *err)
{
    TB_AUTO(tb_json_free) struct cJSON *checked = NULL;
    int rc = read_args(reader, step, given, face->params, &checked, err);
    if (rc < 0) {
        return rc;
    }
    step->args = face->map_args ? face->map_args(checked) : tb_json_dup(checked);
    return 0;
}

static int read_tool(const struct reader *reader, const struct cJSON *given, struct step *step,
                     struct tb_err *err)
{
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(step->tool, rows);
    return read_args(reader, step, given, rows, &step->args, err);
}

static int check_members(const struct cJSON *given, struct tb_err *err)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(member, given) {
        if (++count > MEMBERS_MAX) {
            return tb_fail(err, TB_E_PARAMS, "it has more than %d members", MEMBERS_MAX);
        }
        if (tb_json_get(given, tb_json_name(member)) != member) {
            return fail_twice(tb_json_name(member), err);
        }
    }
    return 0;
}

static int read_step(const struct reader *reader, const struct cJSON *given, struct tb_str session,
                     struct step *step, struct tb_err *err)
{
    struct tb_entry entry;
    int rc = check_members(given, err);
    if (rc < 0) {
        return rc;
    }
    if (!find_action(reader, given, step)) {
        return tb_fail(err, TB_E_PARAMS, "'action', the name of a tool, is missing");
    }
    struct tb_err why;
    rc = find_step(reader, step->action, &entry, &why);
    if (rc < 0) {
        return tb_fail(err, rc == TB_E_UNKNOWN_TOOL ? TB_E_PARAMS : rc, "this tool %s", why.text);
    }
    if (entry.tool->op >= TB_OP_COUNT) {
        return tb_fail(err, TB_E_PARAMS, "this tool cannot be a step");
    }
    step->tool = entry.tool;
    step->face = entry.face;
    rc = entry.face && entry.face->params ? read_face(reader, entry.face, given, step, err)
                                          : read_tool(reader, given, step, err);
    if (rc == 0 && entry.tool->check) {
        rc = entry.tool->check(reader->core, reader->caller, step->args, err);
    }
    if (rc == 0 && !tb_str_eq(tb_args_text(step->args, "sessionId", session.ptr), session)) {
        rc = tb_fail(err, TB_E_PARAMS, "its sessionId differs from that of the sequence");
    }
    return rc;
}

static int read_steps(const struct reader *reader, const struct cJSON *args,
                      struct sequence *sequence, struct tb_err *err)
{
    struct tb_str session = tb_args_text(args, "sessionId", "");
    JSON_ARRAY_FOREACH(item, tb_json_get(args, "actions")) {
        if (sequence->count == STEPS_MAX) {
            return tb_fail(err, TB_E_PARAMS, "more than %d actions", STEPS_MAX);
        }
        struct step *step = &sequence->steps[sequence->count++];
        int rc = read_step(reader, item, session, step, err);
        if (rc < 0) {
            struct tb_str name = tb_str_sub(step->action, 0, NAME_MAX_SHOWN);
            tb_err_prefix(err, "nothing was done; action %zu%s%.*s%s: ", sequence->count,
                          name.len ? " (" : "", TB_STR_ARG(name), name.len ? ")" : "");
            return rc;
        }
    }
    return sequence->count ? 0 : tb_fail(err, TB_E_PARAMS, "'actions' is empty");
}

/* The end. */

static void note_change(const struct cJSON *before, const struct cJSON *after, const char *key,
                        struct cJSON *change)
{
    struct tb_str from = tb_data_text(before, key);
    struct tb_str to = tb_data_text(after, key);
    if (!tb_str_eq(from, to)) {
        struct cJSON *pair = tb_json_new_object();
        tb_json_set_str(pair, "from", from);
        tb_json_set_str(pair, "to", to);
        tb_json_set_take(change, key, pair);
    }
}

static void note_changes(struct cJSON *data, const struct cJSON *before, const struct cJSON *after)
{
    struct cJSON *change = tb_json_new_object();
    if (before && after) {
        note_change(before, after, "url", change);
        note_change(before, after, "title", change);
    }
    if (tb_json_first(change)) {
        tb_json_set_take(data, "stateChange", change);
    } else {
        tb_json_free(change);
        tb_json_set_null(data, "stateChange");
    }
}

static void print_change(const struct cJSON *change, struct tb_buf *out)
{
    const struct cJSON *url = tb_json_get(change, "url");
    const struct cJSON *title = tb_json_get(change, "title");
    if (url) {
        tb_buf_append_cstr(out, " The address changed from ");
        tb_quote_url(tb_data_text(url, "from"), TB_PRINT_URL_MAX / 2, out);
        tb_buf_append_cstr(out, " to ");
        tb_quote_url(tb_data_text(url, "to"), TB_PRINT_URL_MAX / 2, out);
        tb_buf_append_char(out, '.');
    }
    if (title) {
        tb_buf_append_cstr(out, " The title is now ");
        tb_print_quoted(tb_data_text(title, "to"), out);
        tb_buf_append_char(out, '.');
    }
}

static void note_failure(struct tb_result *out, const struct sequence *sequence)
{
    const struct step *step = &sequence->steps[sequence->at];
    TB_AUTO(tb_buf_fini) struct tb_buf change = TB_BUF(TB_KIB);
    struct cJSON *failed = tb_json_new_object();
    tb_json_set_int(failed, "index", (int64_t)sequence->at);
    tb_json_set_str(failed, "action", step->action);
    tb_json_set_cstr(failed, "error", tb_err_name(sequence->code));
    tb_json_set_cstr(failed, "message", sequence->message);
    tb_json_set_take(out->data, "failed", failed);
    print_change(tb_json_get(out->data, "stateChange"), &change);
    tb_result_fail(
        out, sequence->code, "action %zu of %zu (%.*s) failed: %s. %zu completed before it.%.*s",
        sequence->at + 1, sequence->count, TB_STR_ARG(tb_str_sub(step->action, 0, NAME_MAX_SHOWN)),
        sequence->message, sequence->at, TB_STR_ARG(tb_buf_str(&change)));
}

static const struct cJSON *current_tab(const struct tb_result *tabs)
{
    JSON_ARRAY_FOREACH(tab, tb_json_get(tabs->data, "tabs")) {
        if (tb_data_flag(tab, "active")) {
            return tab;
        }
    }
    return NULL;
}

static void on_after(struct tb_call *call, const struct tb_result *tabs, void *user)
{
    struct sequence *sequence = user;
    struct tb_result *out = tb_call_out(call);
    tb_json_set_int(out->data, "completed", (int64_t)sequence->at);
    tb_json_set_take(out->data, "steps", sequence->outcomes);
    sequence->outcomes = NULL;
    note_changes(out->data, sequence->before, current_tab(tabs));
    if (sequence->code < 0) {
        note_failure(out, sequence);
    }
    sequence_free(sequence);
    tb_call_finish(call);
}

static void look(struct tb_call *call, struct sequence *sequence, tb_call_step_fn *fn)
{
    TB_AUTO(tb_json_free) struct cJSON *none = tb_json_new_object();
    tb_call_look(call, &tb_tool_browser_tabs, none, fn, sequence);
}

/* The steps. */

static void note_outcome(struct cJSON *outcomes, const struct step *step,
                         const struct tb_result *result)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_RESULT_TEXT_MAX);
    if (step->tool->print) {
        step->tool->print(result, &text);
    } else {
        tb_buf_append_str(&text, tb_buf_str(&result->text));
    }
    if (step->tool->print_aside) { /* a step's text is for reading */
        step->tool->print_aside(result, &text);
    }
    struct cJSON *outcome = tb_json_new_object();
    tb_json_set_str(outcome, "action", step->action);
    tb_json_set_str(outcome, "text", tb_buf_str(&text));
    tb_json_append_take(outcomes, outcome);
}

/* The last picture wins: a result has one. */
static void keep_image(struct tb_result *out, const struct tb_result *result)
{
    if (result->image.len) {
        tb_buf_clear(&out->image);
        tb_buf_append_str(&out->image, tb_buf_str(&result->image));
        out->image_type = result->image_type;
    }
}

static void next(struct tb_call *call, struct sequence *sequence);

static void on_step(struct tb_call *call, const struct tb_result *result, void *user)
{
    struct sequence *sequence = user;
    if (result->code < 0) {
        sequence->code = result->code;
        snprintf(sequence->message, sizeof(sequence->message), "%s", result->message);
        look(call, sequence, on_after);
        return;
    }
    note_outcome(sequence->outcomes, &sequence->steps[sequence->at], result);
    keep_image(tb_call_out(call), result);
    sequence->at++;
    next(call, sequence);
}

static void next(struct tb_call *call, struct sequence *sequence)
{
    if (sequence->at == sequence->count) {
        look(call, sequence, on_after);
        return;
    }
    const struct step *step = &sequence->steps[sequence->at];
    char words[NAME_MAX_SHOWN + 40];
    snprintf(words, sizeof(words), "step %zu of %zu: %.*s", sequence->at + 1, sequence->count,
             TB_STR_ARG(tb_str_sub(step->action, 0, NAME_MAX_SHOWN)));
    tb_call_progress(call, (double)sequence->at, (double)sequence->count, words);
    const struct tb_entry entry = {.tool = step->tool, .face = step->face};
    tb_call_step(call, &entry, step->args, on_step, sequence);
}

static void on_before(struct tb_call *call, const struct tb_result *tabs, void *user)
{
    struct sequence *sequence = user;
    sequence->before = tb_json_dup(current_tab(tabs));
    next(call, sequence);
}

/* All of it is understood before a session is made for it. */
static int check(const struct tb_core *core, const struct tb_caller *caller,
                 const struct cJSON *args, struct tb_err *err)
{
    struct sequence *sequence = TB_NEW(struct sequence);
    int rc = read_steps(&(struct reader){core, caller}, args, sequence, err);
    sequence_free(sequence);
    return rc;
}

static void run(struct tb_call *call)
{
    struct sequence *sequence = TB_NEW(struct sequence);
    struct tb_err err;
    sequence->outcomes = tb_json_new_array();
    const struct reader reader = {tb_call_core(call), tb_call_caller(call)};
    if (read_steps(&reader, tb_call_args(call), sequence, &err) < 0) {
        sequence_free(sequence);
        tb_result_fail_err(tb_call_out(call), &err);
        tb_call_finish(call);
        return;
    }
    look(call, sequence, on_before);
}

static void print_steps(const struct tb_result *result, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(out->max);
    size_t number = 0;
    JSON_ARRAY_FOREACH(step, tb_json_get(result->data, "steps")) {
        tb_buf_printf(&text, "\n%zu. ", ++number);
        tb_buf_append_str(&text, tb_data_text(step, "text"));
    }
    tb_print_cut(tb_buf_str(&text), TB_PRINT_VALUE_MAX, "ask for less in each action", out);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "All actions done.");
    print_change(tb_json_get(result->data, "stateChange"), out);
    print_steps(result, out);
}

/* Whether the page that the steps worked on is gone with what they did to it. */
static bool is_undone(int code)
{
    switch (code) {
    case TB_E_PAGE_CRASHED:
    case TB_E_BROWSER_CRASHED:
    case TB_E_TYPED_LOST:
    case TB_E_SESSION_ENDED:
    case TB_E_SESSION_STOPPED:
    case TB_E_SHUTDOWN:
    case TB_E_CLOSED:
        return true;
    default:
        return false;
    }
}

/* Whoever does not know what was done does it again, also where that is wrong. */
static void print_partial(const struct tb_result *result, struct tb_buf *out)
{
    if (tb_json_first(tb_json_get(result->data, "steps"))) {
        tb_buf_append_cstr(out,
                           is_undone(result->code)
                               ? "\nCompleted before it (what was typed into the page may be lost):"
                               : "\nAlready done; do not repeat:");
        print_steps(result, out);
    }
}

const struct tb_tool tb_tool_execute_sequence = {
    .name = "execute_sequence",
    .title = "Run actions",
    .description =
        "Run several tools in one call; action is a tool's name. Stops at the first that fails.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD | TB_TOOL_MAY_CREATE,
    .params = params,
    .op = TB_OP_NONE,
    .check = check,
    .run = run,
    .print = print,
    .print_partial = print_partial,
};
