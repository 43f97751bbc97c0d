/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/prime.h"

#include "base/json.h"
#include "core/egress.h"
#include "driver/cdp/page/page.h"
#include "driver/cdp/page/page_internal.h"

enum {
    PARAMS_MAX = 1024,
};

struct tb_cdp_prime {
    struct tb_cdp_page *page;
    const struct tb_pass *pass;
    tb_cdp_prime_fn *fn;
    void *user;
    struct tb_cdp_command visit; /* loads the name */
    bool answered;               /* the question for credentials was */
};

static void post(const struct tb_cdp_prime *prime, const char *method, struct tb_str params)
{
    tb_cdp_target_post(prime->page->target, method, params);
}

/* The pass is for the proxy and no server. A second question says that the answer was not taken: it
 * is not answered, and the visit fails. */
static void answer_auth(struct tb_cdp_prime *prime, struct tb_str request_id, struct tb_str source)
{
    bool gives = !prime->answered && tb_str_eq_cstr(source, "Proxy");
    TB_AUTO(tb_buf_wipe) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "requestId", request_id);
    tb_json_key(&json, "authChallengeResponse");
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "response", gives ? "ProvideCredentials" : "CancelAuth");
    if (gives) {
        prime->answered = true;
        tb_json_member_cstr(&json, "username", tb_pass_user(prime->pass));
        tb_json_member_cstr(&json, "password", tb_pass_secret(prime->pass));
    }
    tb_json_object_close(&json);
    tb_json_object_close(&json);
    post(prime, "Fetch.continueWithAuth", tb_buf_str(&params));
}

static void let_go(struct tb_cdp_prime *prime, struct tb_str request_id)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "requestId", request_id);
    tb_json_object_close(&json);
    post(prime, "Fetch.continueRequest", tb_buf_str(&params));
}

void tb_cdp_prime_on_event(struct tb_cdp_prime *prime, struct tb_str method, struct tb_str params)
{
    bool asks = tb_str_eq_cstr(method, "Fetch.authRequired");
    if (!prime || (!asks && !tb_str_eq_cstr(method, "Fetch.requestPaused"))) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
    struct tb_str request_id = tb_json_text(json, "requestId");
    if (asks) {
        answer_auth(prime, request_id, tb_json_text(tb_json_get(json, "authChallenge"), "source"));
    } else {
        let_go(prime, request_id);
    }
}

/* The proxy itself says whether it has seen the pass: the browser's words for an empty answer are
 * those of a failure. */
static void on_visited(struct tb_cdp_command *command, int code, struct tb_str result,
                       const struct tb_err *err)
{
    struct tb_cdp_prime *prime = TB_CONTAINER(command, struct tb_cdp_prime, visit);
    struct tb_err words;
    (void)result;
    post(prime, "Fetch.disable", (struct tb_str){NULL, 0});
    if (code == 0 && !tb_pass_is_known(prime->pass)) {
        code = tb_fail(&words, TB_E_PROTOCOL,
                       "the browser did not accept its credentials for the proxy");
        err = &words;
    }
    prime->fn(code, err, prime->user);
}

struct tb_cdp_prime *tb_cdp_prime_start(struct tb_cdp_page *page, const struct tb_pass *pass,
                                        int64_t deadline_ms, tb_cdp_prime_fn *fn, void *user)
{
    struct tb_cdp_prime *prime = TB_NEW(struct tb_cdp_prime);
    prime->page = page;
    prime->pass = pass;
    prime->fn = fn;
    prime->user = user;
    post(prime, "Fetch.enable",
         TB_STR("{\"handleAuthRequests\":true,\"patterns\":[{\"urlPattern\":\"*\"}]}"));
    prime->visit = (struct tb_cdp_command){.deadline_ms = deadline_ms, .done = on_visited};
    tb_cdp_command_send(page->peer->conn, &prime->visit, page->target->session_id, "Page.navigate",
                        TB_STR("{\"url\":\"http://" TB_EGRESS_PRIME_HOST "/\"}"));
    return prime;
}

void tb_cdp_prime_free(struct tb_cdp_prime *prime)
{
    if (prime) {
        if (prime->page->peer->conn) {
            tb_cdp_command_forget(prime->page->peer->conn, &prime->visit);
        }
        tb_free(prime);
    }
}
