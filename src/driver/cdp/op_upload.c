/* SPDX-License-Identifier: Apache-2.0 */
/* The files are in the session's directory, or are brought by the call and written there first.
 * FOCUS (waits for the field) --> ELEMENT --> SET --> end. */
#include <string.h>

#include "base/hash.h"
#include "core/args.h"
#include "driver/cdp/files.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"
#include "driver/cdp/refs.h"
#include "proto/json_string.h"

enum state {
    FOCUS,
    ELEMENT,
    SET,
};

enum {
    PARAMS_MAX = 256 * 1024,
};

struct upload {
    struct tb_opwork work;
    const char *directory; /* borrowed from the session's memory */
    struct cJSON *files;   /* names; part of the result */
};

static struct upload *upload_of(struct tb_opwork *work)
{
    return TB_CONTAINER(work, struct upload, work);
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
    if (!tb_file_name_plain(name)) {
        return tb_fail(err, TB_E_FILE_OUTSIDE, "\"%.*s\" is not in the session's directory, %s",
                       TB_STR_ARG(shown), upload->directory);
    }
    TB_AUTO(tb_free) char *text = tb_str_dup(name);
    if (!tb_files_has(upload->directory, text)) {
        return tb_fail(err, TB_E_NOT_FOUND, "there is no file \"%.*s\" in %s", TB_STR_ARG(shown),
                       upload->directory);
    }
    tb_json_append_take(upload->files, tb_json_new_str(name));
    return 0;
}

static int add_content(struct upload *upload, const struct cJSON *item, struct tb_err *err)
{
    char name[TB_FILE_NAME_SIZE];
    TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(TB_FILES_BYTES_MAX);
    struct tb_str content = tb_args_text(item, "text", "");
    if (!tb_file_name_plain(tb_args_text(item, "name", ""))) {
        return tb_fail(err, TB_E_PARAMS, "\"%.*s\" is not a plain file name",
                       TB_STR_ARG(tb_str_sub(tb_args_text(item, "name", ""), 0, 200)));
    }
    tb_file_name_clean(tb_args_text(item, "name", ""), name);
    if (tb_args_has(item, "base64")) {
        int rc = tb_base64_decode(tb_args_text(item, "base64", ""), &bytes);
        if (rc < 0) {
            return tb_fail(err, rc == TB_E_TOO_LARGE ? rc : TB_E_PARAMS,
                           "the content of \"%s\" is %s", name,
                           rc == TB_E_TOO_LARGE ? "too large" : "not base64");
        }
        content = tb_buf_str(&bytes);
    }
    int rc = tb_files_add(upload->work.session, name, content, err);
    if (rc == 0) {
        tb_json_append_take(upload->files, tb_json_new_str(tb_str_of(name)));
    }
    return rc;
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
    return tb_json_first(upload->files) ? 0 : tb_fail(err, TB_E_PARAMS, "no files were given");
}

static void on_focus(struct tb_opwork *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct tb_page *page = tb_opwork_page(work);
    struct tb_frame *frame = page ? tb_page_frame_by_number(page, work->frame) : NULL;
    struct tb_str type = {NULL, 0};
    tb_json_str(tb_json_get(json, "kind"), &type);
    tb_opwork_set_element(work, "element", json);
    if (!tb_str_eq_cstr(type, "file") || !frame) {
        tb_opwork_fail(work, TB_E_ELEMENT_NOT_READY,
                       "the element is not a file field (input type=file)");
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(PARAMS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer writer;
    tb_opwork_args(work, "target", false, &args);
    tb_buf_printf(&text, "tabard.element(%.*s)", TB_STR_ARG(tb_buf_str(&args)));
    tb_json_writer_init(&writer, &params);
    tb_json_object_open(&writer);
    tb_json_key(&writer, "expression");
    tb_json_put_str(&writer, tb_buf_str(&text));
    tb_json_key(&writer, "uniqueContextId");
    tb_json_put_cstr(&writer, tb_frame_world(frame));
    tb_json_object_close(&writer);
    work->state = ELEMENT;
    tb_opwork_frame_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

static void on_element(struct upload *upload, struct tb_str value)
{
    struct tb_str id = tb_pick(tb_pick(value, "result"), "objectId");
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "objectId");
    tb_json_put_raw(&json, id.len ? id : TB_STR("\"\""));
    tb_json_key(&json, "files");
    tb_json_array_open(&json);
    JSON_ARRAY_FOREACH(item, upload->files) {
        struct tb_str name = {NULL, 0};
        tb_json_str(item, &name);
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%.*s", upload->directory, TB_STR_ARG(name));
        tb_json_put_cstr(&json, path);
    }
    tb_json_array_close(&json);
    tb_json_object_close(&json);
    upload->work.state = SET;
    upload->work.acted = true;
    tb_opwork_frame_send(&upload->work, "DOM.setFileInputFiles", tb_buf_str(&params));
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    switch (work->state) {
    case FOCUS:
        on_focus(work, value);
        break;
    case ELEMENT:
        on_element(upload_of(work), value);
        break;
    default:
        tb_opwork_wind_up(work);
        break;
    }
}

static bool failed(struct tb_opwork *work, const struct tb_err *err)
{
    if (work->state != SET || err->code != TB_E_PROTOCOL) {
        return false;
    }
    tb_opwork_fail(work, TB_E_ELEMENT_NOT_READY, "the field did not accept the files: %s",
                   err->text);
    return true;
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct upload),
                                           .step = step,
                                           .failed = failed};

void tb_cdp_op_upload(struct tb_driver_session *session, struct tb_op *op)
{
    struct upload *upload = tb_opwork_new(&kind, session, op);
    if (!upload) {
        return;
    }
    struct tb_opwork *work = &upload->work;
    struct tb_err err;
    upload->files = tb_json_new_array();
    tb_json_set_take(op->result->data, "files", upload->files);
    upload->directory = tb_files_directory(session, &err);
    if (!upload->directory || gather(upload, &err) < 0) {
        tb_opwork_fail_err(work, &err);
        return;
    }
    tb_json_set_cstr(op->result->data, "directory", upload->directory);
    if (tb_opwork_frame(work, tb_args_text(op->args, "target", ""))) {
        TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
        tb_opwork_args(work, "target", true, &args);
        tb_refs_continue(work, &args);
        work->state = FOCUS;
        tb_opwork_call(work, "focus", tb_buf_str(&args));
    }
}
