/* SPDX-License-Identifier: Apache-2.0 */
/* list:   READING --> done.
 * set:    SETTING --> done.
 * delete: READING --> REMOVING each that fits --> done.
 * clear:  the same for all. */
#include <string.h>

#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"

enum state {
    READING,
    SETTING,
    REMOVING,
};

enum {
    PARAMS_MAX = 1024 * 1024,
};

static struct tb_str action_of(const struct tb_cdp_work *work)
{
    return tb_args_text(work->op->args, "action", "list");
}

/* The cookies of an address, or all of the session when a domain decides or all are meant. */
static void read_cookies(struct tb_cdp_work *work)
{
    const struct cJSON *args = work->op->args;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    bool all = tb_args_has(args, "domain") ||
               (tb_str_eq_cstr(action_of(work), "clear") && !tb_args_has(args, "url"));
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    if (all) {
        tb_json_member_cstr(&json, "browserContextId", tb_cdp_session_context_id(work->session));
    } else {
        struct tb_str here = page ? tb_cdp_page_url(page) : (struct tb_str){NULL, 0};
        tb_json_key(&json, "urls");
        tb_json_array_open(&json);
        tb_json_put_str(&json, tb_args_has(args, "url") ? tb_args_text(args, "url", "") : here);
        tb_json_array_close(&json);
    }
    tb_json_object_close(&json);
    work->state = READING;
    if (all) {
        tb_cdp_work_send_to(work, "", "Storage.getCookies", tb_buf_str(&params));
    } else {
        tb_cdp_work_send(work, "Network.getCookies", tb_buf_str(&params));
    }
}

/* "example.com" fits ".example.com" and "www.example.com". */
static bool fits_domain(struct tb_str domain, struct tb_str wanted)
{
    if (domain.len && domain.ptr[0] == '.') {
        domain = tb_str_sub(domain, 1, domain.len);
    }
    if (wanted.len && wanted.ptr[0] == '.') {
        wanted = tb_str_sub(wanted, 1, wanted.len);
    }
    if (domain.len > wanted.len) {
        size_t at = domain.len - wanted.len;
        return domain.ptr[at - 1] == '.' &&
               tb_str_eq_nocase(tb_str_sub(domain, at, domain.len), wanted);
    }
    return tb_str_eq_nocase(domain, wanted);
}

static bool fits(const struct tb_cdp_work *work, const struct cJSON *cookie)
{
    const struct cJSON *args = work->op->args;
    if (tb_args_has(args, "name") &&
        !tb_str_eq(tb_json_text(cookie, "name"), tb_args_text(args, "name", ""))) {
        return false;
    }
    return !tb_args_has(args, "domain") ||
           fits_domain(tb_json_text(cookie, "domain"), tb_args_text(args, "domain", ""));
}

static struct cJSON *as_row(const struct cJSON *cookie)
{
    static const struct {
        const char *from;
        const char *to;
    } names[] = {{"name", "name"},     {"value", "value"},       {"domain", "domain"},
                 {"path", "path"},     {"expires", "expires"},   {"httpOnly", "http_only"},
                 {"secure", "secure"}, {"sameSite", "same_site"}};
    struct cJSON *row = tb_json_new_object();
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const struct cJSON *value = tb_json_get(cookie, names[i].from);
        if (value) {
            tb_json_set_take(row, names[i].to, tb_json_dup(value));
        }
    }
    return row;
}

static void remove_one(struct tb_cdp_work *work, const struct cJSON *cookie)
{
    static const char *const names[] = {"name", "domain", "path"};
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        tb_json_member_str(&json, names[i], tb_json_text(cookie, names[i]));
    }
    tb_json_object_close(&json);
    tb_cdp_work_post(work, "Network.deleteCookies", tb_buf_str(&params));
}

static void on_read(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (!tb_json_is_array(tb_json_get(json, "cookies"))) {
        tb_cdp_work_fail(work, TB_E_INTERNAL, "the browser did not say which cookies it has");
        return;
    }
    bool listing = tb_str_eq_cstr(action_of(work), "list");
    struct cJSON *rows = listing ? tb_json_new_array() : NULL;
    int64_t count = 0;
    JSON_ARRAY_FOREACH(cookie, tb_json_get(json, "cookies")) {
        if (!fits(work, cookie)) {
            continue;
        }
        count++;
        if (listing) {
            tb_json_append_take(rows, as_row(cookie));
        } else {
            remove_one(work, cookie);
        }
    }
    if (listing) {
        tb_json_set_take(work->op->result->data, "cookies", rows);
        tb_cdp_work_done(work);
        return;
    }
    tb_json_set_int(work->op->result->data, "changed", count);
    work->state = REMOVING;
    /* Its answer comes behind those of the removals. */
    tb_cdp_work_send(work, "Network.getCookies", (struct tb_str){NULL, 0});
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    if (work->state == READING) {
        on_read(work, value);
        return;
    }
    if (work->state == SETTING) {
        tb_json_set_int(work->op->result->data, "changed", 1);
    }
    tb_cdp_work_done(work);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (err->code != TB_E_PROTOCOL) {
        return false;
    }
    tb_cdp_work_fail(work, TB_E_PARAMS, "the browser rejected the cookie: %s", err->text);
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work),
                                             .step = step,
                                             .failed = failed};

static void set(struct tb_cdp_work *work)
{
    static const struct {
        const char *from;
        const char *to;
    } names[] = {{"name", "name"},          {"value", "value"},   {"url", "url"},
                 {"domain", "domain"},      {"path", "path"},     {"expires", "expires"},
                 {"http_only", "httpOnly"}, {"secure", "secure"}, {"same_site", "sameSite"}};
    const struct cJSON *args = work->op->args;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "cookies");
    tb_json_array_open(&json);
    tb_json_object_open(&json);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        if (tb_args_has(args, names[i].from)) {
            tb_json_member_tree(&json, names[i].to, tb_json_get(args, names[i].from));
        }
    }
    if (!tb_args_has(args, "url") && !tb_args_has(args, "domain") && page) {
        tb_json_member_str(&json, "url", tb_cdp_page_url(page));
    }
    tb_json_object_close(&json);
    tb_json_array_close(&json);
    tb_json_object_close(&json);
    work->state = SETTING;
    tb_cdp_work_send(work, "Network.setCookies", tb_buf_str(&params));
}

void tb_cdp_op_cookies(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    struct tb_str action = action_of(work);
    bool named = tb_args_has(op->args, "name");
    if (tb_str_eq_cstr(action, "set")) {
        if (!named || !tb_args_has(op->args, "value")) {
            tb_cdp_work_fail(work, TB_E_PARAMS, "set needs name and value");
            return;
        }
        set(work);
    } else if (tb_str_eq_cstr(action, "delete") && !named) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "delete needs name; clear deletes all");
    } else {
        read_cookies(work);
    }
}
