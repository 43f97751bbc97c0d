/* SPDX-License-Identifier: Apache-2.0 */
/* The files are in the session's directory, or are brought by the call and written there first.
 *
 *   no target: the page's open chooser --> WORLD, FIELD: fetch the field --> SET --> READ --> end
 *   RECEIVER --> ELEMENT --a field--> SET --> READ what it has then --> end
 *                    +--a place to drop them--> HANDED to the page scripts --> CARRIED there -->
 *                       DROPPED --> end
 *
 * They are not dropped by a drag of the browser's, which opens what the page does not take; see
 * page/upload.js. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "core/args.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/chooser.h"
#include "driver/cdp/page/expression.h"
#include "driver/files.h"
#include "proto/json_string.h"

enum state {
    RECEIVER,
    ELEMENT,
    SET,
    WORLD,
    FIELD,
    READ,
    HANDED,
    CARRIED,
    DROPPED,
};

enum {
    FILES_MAX = 100,
    PARAMS_MAX = 4 * 1024 * 1024, /* enough for so many paths, escaped */
};

struct upload {
    struct tb_cdp_work work;
    const char *directory; /* borrowed from the session */
    struct cJSON *files;   /* names; part of the result */
    int64_t node;          /* of the chooser that they answer, the browser's number; 0: of none */
    uint64_t document;     /* that has opened it */
    char object[256];      /* the id of the field, as JSON; empty: it is not known */
    bool drops;            /* the element is no field */
};

static struct upload *upload_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct upload, work);
}

static int check_size(const struct upload *upload, struct tb_str name, int64_t bytes,
                      struct tb_err *err)
{
    int64_t max = tb_cdp_session_file_max(upload->work.session, true);
    return max < 0 || bytes <= max
               ? 0
               : tb_fail(err, TB_E_DENIED,
                         "\"%.*s\" has %lld bytes, and policy allows uploads of at most %lld",
                         TB_STR_ARG(tb_str_sub(name, 0, 200)), (long long)bytes, (long long)max);
}

/* A name, or the path of a file of the directory. */
static int add_path(struct upload *upload, struct tb_str path, struct tb_err *err)
{
    struct tb_str directory = tb_str_of(upload->directory);
    struct tb_str name = path;
    if (tb_str_starts(path, directory) && path.len > directory.len &&
        path.ptr[directory.len] == '/') {
        name = tb_str_sub(path, directory.len + 1, path.len);
    }
    struct tb_str shown = tb_str_sub(path, 0, 200);
    if (!tb_files_name_plain(name)) {
        return tb_fail(err, TB_E_FILE_OUTSIDE, "\"%.*s\" is not in the session's directory, %s",
                       TB_STR_ARG(shown), upload->directory);
    }
    TB_AUTO(tb_free) char *text = tb_str_dup(name);
    int64_t bytes = tb_files_size(&upload->work.session->folder, text);
    if (bytes < 0) {
        return tb_fail(err, TB_E_NOT_FOUND, "there is no file \"%.*s\" in %s", TB_STR_ARG(shown),
                       upload->directory);
    }
    int rc = check_size(upload, name, bytes, err);
    if (rc == 0) {
        tb_json_append_take(upload->files, tb_json_new_str(name));
    }
    return rc;
}

static int add_content(struct upload *upload, const struct cJSON *item, struct tb_err *err)
{
    char name[TB_FILE_NAME_SIZE];
    TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(TB_FILES_BYTES_MAX);
    struct tb_str content = tb_args_text(item, "text", "");
    if (!tb_files_name_plain(tb_args_text(item, "name", ""))) {
        return tb_fail(err, TB_E_PARAMS, "\"%.*s\" is not a plain file name",
                       TB_STR_ARG(tb_str_sub(tb_args_text(item, "name", ""), 0, 200)));
    }
    tb_files_name_clean(tb_args_text(item, "name", ""), name);
    if (tb_args_has(item, "base64")) {
        int rc = tb_base64_decode(tb_args_text(item, "base64", ""), &bytes);
        if (rc < 0) {
            return tb_fail(err, rc == TB_E_TOO_LARGE ? rc : TB_E_PARAMS,
                           "the content of \"%s\" is %s", name,
                           rc == TB_E_TOO_LARGE ? "too large" : "not base64");
        }
        content = tb_buf_str(&bytes);
    }
    int rc = check_size(upload, tb_str_of(name), (int64_t)content.len, err);
    rc = rc < 0 ? rc : tb_cdp_folder_add(upload->work.session, name, content, err);
    if (rc == 0) {
        tb_json_append_take(upload->files, tb_json_new_str(tb_str_of(name)));
    }
    return rc;
}

static size_t count_files(const struct upload *upload)
{
    size_t count = 0;
    JSON_ARRAY_FOREACH(item, upload->files) {
        count++;
    }
    return count;
}

static int gather(struct upload *upload, struct tb_err *err)
{
    const struct cJSON *args = upload->work.op->args;
    JSON_ARRAY_FOREACH(item, tb_json_get(args, "paths")) {
        struct tb_str path = {NULL, 0};
        tb_json_str(item, &path);
        int rc = add_path(upload, path, err);
        if (rc < 0) {
            return rc;
        }
    }
    JSON_ARRAY_FOREACH(item, tb_json_get(args, "content")) {
        int rc = add_content(upload, item, err);
        if (rc < 0) {
            return rc;
        }
    }
    size_t count = count_files(upload);
    if (count > FILES_MAX) {
        return tb_fail(err, TB_E_TOO_LARGE, "%zu files; at most %d in one call", count, FILES_MAX);
    }
    return count ? 0 : tb_fail(err, TB_E_PARAMS, "no files were given: pass paths or content");
}

static void put_files(struct upload *upload, struct tb_json_writer *json)
{
    tb_json_key(json, "files");
    tb_json_array_open(json);
    JSON_ARRAY_FOREACH(item, upload->files) {
        struct tb_str name = {NULL, 0};
        tb_json_str(item, &name);
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%.*s", upload->directory, TB_STR_ARG(name));
        tb_json_put_cstr(json, path);
    }
    tb_json_array_close(json);
}

/* `key` and `id` say which field, as JSON. */
static void set_files(struct upload *upload, const char *key, struct tb_str id)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_raw(&json, key, id);
    put_files(upload, &json);
    tb_json_object_close(&json);
    upload->work.state = upload->drops ? HANDED : SET;
    upload->work.acted = !upload->drops;
    tb_cdp_work_frame_send(&upload->work, "DOM.setFileInputFiles", tb_buf_str(&params));
}

static void evaluate(struct tb_cdp_work *work, int state, const char *expression)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    const struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
    tb_cdp_expression_put(
        &(struct tb_cdp_expression){.text = tb_str_of(expression),
                                    .world = frame ? tb_cdp_frame_world(frame) : ""},
        &params);
    work->state = state;
    tb_cdp_work_frame_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

static void answer_chooser(struct upload *upload)
{
    struct tb_cdp_work *work = &upload->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_chooser *chooser = page ? tb_cdp_page_chooser(page) : NULL;
    if (!chooser || !chooser->open) {
        tb_cdp_work_fail(work, TB_E_PARAMS,
                         "target is missing, and the page has no file chooser open: give the file "
                         "input or drop zone as target, or first click what opens a chooser");
        return;
    }
    size_t count = count_files(upload);
    if (!chooser->multiple && count > 1) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "the file chooser takes one file, not %zu", count);
        return;
    }
    chooser->open = false;
    chooser->untold = false;
    upload->node = chooser->node;
    work->frame = chooser->frame;
    upload->document = tb_cdp_work_document(work);
    evaluate(work, WORLD, "tabard.choosing()");
}

/* The number of its field is good in its own document only. */
static bool has_left(struct upload *upload)
{
    return tb_cdp_work_document(&upload->work) != upload->document;
}

static void fail_left(struct upload *upload)
{
    tb_cdp_work_fail(
        &upload->work, TB_E_ELEMENT_STALE,
        "the field of the file chooser has left the page and received no files; open the chooser "
        "again");
}

static void set_chosen(struct upload *upload)
{
    char node[32];
    int len = snprintf(node, sizeof(node), "%" PRId64, upload->node);
    set_files(upload, "backendNodeId", (struct tb_str){node, (size_t)len});
}

static void on_receiver(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct tb_str kind = tb_json_text(json, "kind");
    tb_cdp_work_set_element(work, "element", json);
    upload_of(work)->drops = !tb_str_eq_cstr(kind, "file");
    evaluate(work, ELEMENT, "tabard.received()");
}

static void keep_object(struct upload *upload, struct tb_str id)
{
    if (id.len < sizeof(upload->object)) {
        snprintf(upload->object, sizeof(upload->object), "%.*s", TB_STR_ARG(id));
    }
}

static void on_element(struct upload *upload, struct tb_str value)
{
    struct tb_str id = tb_cdp_pick(tb_cdp_pick(value, "result"), "objectId");
    keep_object(upload, id);
    set_files(upload, "objectId", id.len ? id : TB_STR("\"\""));
}

static void carry(struct tb_cdp_work *work)
{
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    tb_cdp_work_args(work, "target", true, &args);
    tb_cdp_refs_continue(work, &args);
    work->state = CARRIED;
    tb_cdp_work_call(work, "carry", tb_buf_str(&args));
}

static void drop(struct tb_cdp_work *work)
{
    work->state = DROPPED;
    work->acted = true;
    work->expected.aimed = true;
    tb_cdp_work_call(work, "drop", TB_STR("{}"));
}

static void on_dropped(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    work->expected.struck = true;
    tb_cdp_work_take_drop(work, json);
    tb_cdp_work_wind_up(work);
}

/* A field for one file takes the first, and a page may put away what it was given. */
static void read_back(struct upload *upload)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(1024);
    if (!upload->object[0]) {
        tb_cdp_work_wind_up(&upload->work);
        return;
    }
    tb_buf_printf(&params,
                  "{\"objectId\":%s,\"returnByValue\":true,\"functionDeclaration\":"
                  "\"function(){return tabard.filesOf(this)}\"}",
                  upload->object);
    upload->work.state = READ;
    tb_cdp_work_frame_send(&upload->work, "Runtime.callFunctionOn", tb_buf_str(&params));
}

/* The field of a chooser is known by its number, and may be in no document. Our own world sees it
 * as it is, and any object of that world tells the world's number. */
static void on_world(struct upload *upload, struct tb_str value)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(1024);
    if (has_left(upload)) {
        fail_left(upload);
        return;
    }
    int context = tb_cdp_object_context(tb_cdp_pick(tb_cdp_pick(value, "result"), "objectId"));
    tb_buf_printf(&params, "{\"backendNodeId\":%" PRId64 ",\"executionContextId\":%d}",
                  upload->node, context);
    upload->work.state = FIELD;
    tb_cdp_work_frame_send(&upload->work, "DOM.resolveNode", tb_buf_str(&params));
}

static void on_field(struct upload *upload, struct tb_str value)
{
    keep_object(upload, tb_cdp_pick(tb_cdp_pick(value, "object"), "objectId"));
    if (has_left(upload)) {
        fail_left(upload);
    } else if (upload->object[0]) {
        set_files(upload, "objectId", tb_str_of(upload->object)); /* which no other document has */
    } else {
        set_chosen(upload);
    }
}

static void on_read(struct tb_cdp_work *work, struct tb_str value)
{
    static const char *const keys[] = {"now", "unaccepted", "accept"};
    TB_AUTO(tb_json_free)
    struct cJSON *given = tb_json_parse(tb_cdp_pick(tb_cdp_pick(value, "result"), "value"));
    for (size_t i = 0; i < TB_COUNT(keys); i++) {
        const struct cJSON *part = tb_json_get(given, keys[i]);
        if (part) {
            tb_json_set_take(work->op->result->data, keys[i], tb_json_dup(part));
        }
    }
    tb_cdp_work_wind_up(work);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct upload *upload = upload_of(work);
    switch (work->state) {
    case RECEIVER:
        on_receiver(work, value);
        break;
    case ELEMENT:
        on_element(upload, value);
        break;
    case SET:
        read_back(upload);
        break;
    case WORLD:
        on_world(upload, value);
        break;
    case FIELD:
        on_field(upload, value);
        break;
    case READ:
        on_read(work, value);
        break;
    case HANDED:
        carry(work);
        break;
    case CARRIED:
        drop(work);
        break;
    default:
        on_dropped(work, value);
        break;
    }
}

/* The page tells of the drop before it gets it, so what is told here is known. */
static bool failed_drop(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct tb_err words = *err;
    if (work->state != DROPPED && err->code == TB_E_DIALOG_OPEN) {
        tb_err_prefix(&words, "nothing was dropped, because ");
        tb_cdp_work_fail_err(work, &words);
        return true;
    }
    if (work->state == DROPPED && work->expected.struck && err->code == TB_E_ELEMENT_STALE) {
        tb_cdp_work_wind_up(work); /* it has led elsewhere */
        return true;
    }
    if (work->state == DROPPED && !work->expected.struck && err->code == TB_E_TIMEOUT) {
        tb_cdp_work_fail(
            work, TB_E_UNFINISHED,
            "the page was busy, so it is unknown whether it received the files; it may still "
            "receive them");
        return true;
    }
    return false;
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (work->state == READ && err->code != TB_E_DIALOG_OPEN) {
        tb_cdp_work_wind_up(work); /* the files are given, and the page has gone on */
        return true;
    }
    if ((work->state == WORLD || work->state == FIELD) && err->code == TB_E_PROTOCOL) {
        if (tb_cdp_page_was_replaced(err) || has_left(upload_of(work))) {
            fail_left(upload_of(work));
        } else {
            set_chosen(upload_of(work)); /* it will tell what is in the way */
        }
        return true;
    }
    if (upload_of(work)->drops) {
        return failed_drop(work, err);
    }
    if (work->state != SET || err->code != TB_E_PROTOCOL) {
        return false;
    }
    if (upload_of(work)->node) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_READY,
                         "the file chooser did not accept the files (%s); open it again",
                         err->text);
    } else {
        tb_cdp_work_fail(work, TB_E_WRONG_VALUE, "the field did not accept the files: %s",
                         err->text);
    }
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct upload),
                                             .step = step,
                                             .told = tb_cdp_work_take_drop,
                                             .failed = failed};

void tb_cdp_op_upload(struct tb_driver_session *session, struct tb_op *op)
{
    struct upload *upload = tb_cdp_work_new(&kind, session, op);
    if (!upload) {
        return;
    }
    struct tb_cdp_work *work = &upload->work;
    struct tb_err err;
    upload->files = tb_json_new_array();
    tb_json_set_take(op->result->data, "files", upload->files);
    upload->directory = tb_cdp_folder_path(session, &err);
    if (!upload->directory || gather(upload, &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    tb_json_set_cstr(op->result->data, "directory", upload->directory);
    if (!tb_args_has(op->args, "target")) {
        answer_chooser(upload);
    } else if (tb_cdp_work_frame(work, tb_args_text(op->args, "target", ""))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
        tb_cdp_work_args(work, "target", true, &args);
        tb_cdp_refs_continue(work, &args);
        work->state = RECEIVER;
        tb_cdp_work_call(work, "receiver", tb_buf_str(&args));
    }
}
