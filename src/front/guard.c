/* SPDX-License-Identifier: Apache-2.0 */
#include "front/guard.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/auth.h"
#include "core/keys.h"
#include "front/target.h"
#include "proto/authority.h"

enum {
    TOKEN_MAX = 256,
};

static bool list_has(const struct tb_config_list *list, struct tb_str item)
{
    for (size_t i = 0; i < list->count; i++) {
        if (tb_str_eq_nocase(item, tb_str_of(list->items[i]))) {
            return true;
        }
    }
    return false;
}

/* The host part of a listen address such as "127.0.0.1:8765"; an address for all interfaces names
 * no host. */
static bool is_listen_host(const char *listen, struct tb_str host)
{
    struct tb_authority own;
    if (!tb_authority_parse_listen(tb_str_of(listen), &own)) {
        return false;
    }
    return !tb_authority_is_any(&own) && tb_str_eq_nocase(own.host, host);
}

static bool is_own_host(const struct tb_config *config, struct tb_str host)
{
    return tb_str_eq_nocase(host, TB_STR("localhost")) || tb_str_eq_cstr(host, "127.0.0.1") ||
           tb_str_eq_cstr(host, "::1") || is_listen_host(config->listen, host) ||
           is_listen_host(config->agent_listen, host) ||
           list_has(&config->http_allowed_hosts, host);
}

int tb_guard_check_host(const struct tb_front_req *req, struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct tb_authority authority;
    if (!tb_authority_parse(head->authority, &authority)) {
        return tb_fail(err, TB_E_INVALID, "the request has no valid host");
    }
    /* The port is not compared: a forwarded port is no attack, a foreign name is. */
    if (!is_own_host(req->core->config, authority.host)) {
        struct tb_quoted name;
        return tb_fail(err, TB_E_MISDIRECTED, "this daemon does not answer to the host name %s",
                       tb_quoted(&name, authority.host, 0));
    }
    return 0;
}

/* An origin on our own host counts as ours only with the port that the request itself came to. */
static bool is_own_origin(const struct tb_front_req *req, const struct tb_authority *origin)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct tb_authority target;
    if (!tb_authority_parse(head->authority, &target)) {
        return false;
    }
    return is_own_host(req->core->config, origin->host) && origin->has_port == target.has_port &&
           origin->port == target.port;
}

static int check_usual(const struct tb_front_req *req, struct tb_err *err)
{
    struct tb_str text = tb_http1_header(tb_http_req_head(req->http), "Origin");
    struct tb_str scheme;
    struct tb_authority origin;
    if (tb_origin_parse(text, &scheme, &origin) &&
        (list_has(&req->core->config->http_allowed_origins, text) || is_own_origin(req, &origin))) {
        return 0;
    }
    return tb_fail(err, TB_E_FORBIDDEN, "pages of this origin may not call the daemon");
}

const struct tb_cors tb_guard_cors = {
    .check = check_usual,
    .send =
        "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, "
        "Mcp-Name, Mcp-Session-Id, X-Conversation-Id, X-Session-ID, X-Tabard-Tenant",
    .read = "Mcp-Session-Id, WWW-Authenticate, Retry-After",
};

const struct tb_cors *tb_guard_cors_of(const struct tb_front_req *req)
{
    return req->front ? req->front->cors : &tb_guard_cors;
}

int tb_guard_check_origin(const struct tb_front_req *req, struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    const struct tb_cors *cors = tb_guard_cors_of(req);
    if (!tb_http1_header(head, "Origin").ptr) {
        return 0;
    }
    if (cors && tb_http1_header_times(head, "Origin") == 1) {
        return cors->check(req, err);
    }
    return tb_fail(err, TB_E_FORBIDDEN, "pages of this origin may not call the daemon");
}

void tb_guard_allow_origin(struct tb_front_req *req)
{
    struct tb_str origin = tb_http1_header(tb_http_req_head(req->http), "Origin");
    const struct tb_cors *cors = tb_guard_cors_of(req);
    if (!origin.ptr || !cors) {
        return;
    }
    req->headers[0] = (struct tb_http_header){"Access-Control-Allow-Origin", origin};
    req->headers[1] = (struct tb_http_header){"Vary", TB_STR("Origin")};
    req->header_count = 2;
    if (cors->read) {
        req->headers[req->header_count++] =
            (struct tb_http_header){"Access-Control-Expose-Headers", tb_str_of(cors->read)};
    }
    tb_http_req_set_headers(req->http, req->headers, req->header_count);
}

struct tb_str tb_guard_token(const struct tb_http1_head *head)
{
    const struct tb_str scheme = TB_STR("Bearer ");
    struct tb_str value = tb_http1_header(head, "Authorization");
    if (tb_http1_header_times(head, "Authorization") != 1 || value.len < scheme.len ||
        !tb_str_eq_nocase(tb_str_sub(value, 0, scheme.len), scheme)) {
        return TB_STR("");
    }
    return tb_str_trim(tb_str_sub(value, scheme.len, value.len));
}

static bool is_same_user(const struct tb_front_req *req)
{
    const struct tb_peer *peer = tb_http_req_peer(req->http);
    return req->door == TB_DOOR_UNIX && peer->has_uid && (peer->uid == geteuid() || peer->uid == 0);
}

/* In words for whoever has to do something about it: the holder of a key has no admin.token. */
static const char *needed_instead(struct tb_str token)
{
    return tb_str_starts(token, TB_STR(TB_KEY_PREFIX))
               ? "this key is not valid: it was revoked, has expired, or is incomplete; "
                 "ask whoever gave it to you for another one"
               : "a valid token is required; the operator finds it in admin.token in the state "
                 "directory";
}

/* Whether a credential is shown at all, also one that cannot be read, which gives an empty token. A
 * WebSocket of a page has it in the query; it goes into `room`. */
static bool shows_any(const struct tb_front_req *req, struct tb_buf *room, struct tb_str *ret_token)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    bool in_query = req->route->credentials & TB_CREDENTIAL_QUERY;
    if (tb_http1_header_times(head, "Authorization")) {
        *ret_token = tb_guard_token(head);
        return true;
    }
    bool is_bad = in_query && tb_target_query(head->query, "token", room) < 0;
    *ret_token = is_bad ? TB_STR("") : tb_buf_str(room);
    return is_bad || room->len;
}

static int find(struct tb_front_req *req, struct tb_principal **ret_who, struct tb_err *err)
{
    const struct tb_route *route = req->route;
    struct tb_auth *auth = req->core->auth;
    const char *peer = tb_http_req_peer(req->http)->host;
    TB_AUTO(tb_buf_fini) struct tb_buf room = TB_BUF(TOKEN_MAX);
    struct tb_str token;
    bool silent = !shows_any(req, &room, &token);
    bool shown = token.len && (route->credentials & TB_CREDENTIAL_BEARER);
    /* Where nobody has to say who it is, whoever does so is taken at its word. */
    if (!route->scope && !shown) {
        return tb_auth_find(auth, peer, TB_CREDENTIAL_NONE, TB_STR(""), ret_who);
    }
    /* Whoever shows a key wants to be what the key is, and no more. */
    if (silent && (route->credentials & TB_CREDENTIAL_SAME_USER) && is_same_user(req)) {
        return tb_auth_find(auth, peer, TB_CREDENTIAL_SAME_USER, TB_STR(""), ret_who);
    }
    if (!(route->credentials & TB_CREDENTIAL_BEARER)) {
        return tb_fail(err, TB_E_FORBIDDEN,
                       "only the daemon's own user may do this, over its socket");
    }
    int rc = tb_auth_find(auth, peer, TB_CREDENTIAL_BEARER, token, ret_who);
    if (rc == 0) {
        return 0;
    }
    if (rc == TB_E_STORE) {
        return tb_fail(err, rc, "the stored keys cannot be read yet, so this token is unknown");
    }
    req->core->metrics.values[TB_METRIC_AUTH_FAILURES]++;
    return rc == TB_E_RATE ? tb_fail(err, rc, "too many wrong tokens from this network")
                           : tb_fail(err, rc, "%s", needed_instead(token));
}

/* The operator may speak for another tenant. */
static int choose_tenant(const struct tb_front_req *req, struct tb_principal **who,
                         struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct tb_str tenant = tb_http1_header(head, "X-Tabard-Tenant");
    if (!tenant.ptr || !req->route->scope) {
        return 0;
    }
    if (tb_http1_header_times(head, "X-Tabard-Tenant") != 1) {
        return tb_fail(err, TB_E_INVALID, "X-Tabard-Tenant is given more than once");
    }
    return tb_auth_as(req->core->auth, *who, tb_str_trim(tenant), who, err);
}

int tb_guard_identify(struct tb_front_req *req, struct tb_err *err)
{
    struct tb_principal *who = NULL;
    int rc = find(req, &who, err);
    if (rc == 0) {
        rc = choose_tenant(req, &who, err);
    }
    if (rc < 0) {
        return rc;
    }
    if (!tb_principal_may(who, req->route->scope)) {
        return tb_fail(err, TB_E_SCOPE, "this needs the scope '%s', which this key does not have",
                       tb_scope_name(req->route->scope));
    }
    req->who = tb_principal_ref(who, "request");
    return 0;
}

/* WS-6: nothing here inflates, so that a small body cannot become a large one. */
static int check_encoding(const struct tb_http1_head *head, struct tb_err *err)
{
    struct tb_str encoding = tb_http1_header(head, "Content-Encoding");
    struct tb_quoted seen;
    return !encoding.ptr || (tb_http1_header_times(head, "Content-Encoding") == 1 &&
                             tb_str_eq_nocase(tb_str_trim(encoding), TB_STR("identity")))
               ? 0
               : tb_fail(err, TB_E_CONTENT_TYPE,
                         "the body must come as it is, not with Content-Encoding %s",
                         tb_quoted(&seen, encoding, 0));
}

int tb_guard_check_body_type(const struct tb_front_req *req, struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    const char *accepts = req->route->accepts ? req->route->accepts : "application/json";
    if (!tb_http1_has_body(head)) {
        return 0;
    }
    int rc = check_encoding(head, err);
    if (rc < 0 || strcmp(accepts, "*") == 0) {
        return rc;
    }
    struct tb_str type = tb_http1_header(head, "Content-Type");
    struct tb_str media = tb_str_trim(tb_str_cut(&type, ';'));
    size_t times = tb_http1_header_times(head, "Content-Type");
    if (times == 1 && tb_str_list_has(tb_str_of(accepts), media)) {
        return 0;
    }
    if (times > 1 || !media.len) {
        return tb_fail(err, TB_E_CONTENT_TYPE, "the body must be %s; the request names %s", accepts,
                       times > 1 ? "its type more than once" : "no type");
    }
    struct tb_quoted seen;
    return tb_fail(err, TB_E_CONTENT_TYPE, "the body must be %s, not %s", accepts,
                   tb_quoted(&seen, media, 0));
}

static bool is_host(const char *text)
{
    struct tb_authority parsed;
    TB_AUTO(tb_free) char *literal = tb_strdupf("[%s]", text);
    struct tb_str whole = tb_str_of(text);
    return !strchr(text, '*') &&
           ((tb_authority_parse(whole, &parsed) && tb_str_eq(parsed.host, whole)) ||
            (strchr(text, ':') && tb_authority_parse(tb_str_of(literal), &parsed)));
}

static bool is_origin(const char *text)
{
    struct tb_str scheme;
    struct tb_authority parsed;
    return !strchr(text, '*') && tb_origin_parse(tb_str_of(text), &scheme, &parsed);
}

int tb_guard_check_config(const struct tb_config *config, struct tb_err *err)
{
    const struct tb_config_list *hosts = &config->http_allowed_hosts;
    const struct tb_config_list *origins = &config->http_allowed_origins;
    for (size_t i = 0; i < hosts->count; i++) {
        if (!is_host(hosts->items[i])) {
            return tb_fail(err, TB_E_CONFIG,
                           "http.allowed_hosts has '%s', which no request can match; write each "
                           "name or address alone, without a port or wildcard",
                           hosts->items[i]);
        }
    }
    for (size_t i = 0; i < origins->count; i++) {
        if (!is_origin(origins->items[i])) {
            return tb_fail(err, TB_E_CONFIG,
                           "http.allowed_origins has '%s', which no request can match; write each "
                           "as scheme://host[:port], with nothing after it and without wildcards",
                           origins->items[i]);
        }
    }
    return 0;
}
