/* SPDX-License-Identifier: Apache-2.0 */
#include "front/proxy/heads.h"

#include "base/hash.h"
#include "base/mem.h"
#include "core/policy.h"
#include "proto/authority.h"

enum {
    HTTP_PORT = 80,
    OPTIONS_BYTES = 1024, /* of all Connection headers */
};

int tb_heads_goal(const struct tb_http1_head *head, struct tb_egress_goal *ret_goal,
                  struct tb_err *err)
{
    struct tb_egress_goal goal = {.schemes = TB_SCHEME_HTTP, .port = HTTP_PORT};
    struct tb_authority authority;
    bool is_connect = head->form == TB_HTTP1_AUTHORITY;
    if (!is_connect && head->form != TB_HTTP1_ABSOLUTE) {
        return tb_fail(err, TB_E_INVALID, "this is a proxy: the target must be a whole address");
    }
    if (!is_connect && !tb_str_eq_nocase(head->scheme, TB_STR("http"))) {
        return tb_fail(err, TB_E_INVALID, "only http and CONNECT go through this proxy");
    }
    if (!tb_authority_parse(head->authority, &authority) || (is_connect && !authority.has_port) ||
        (authority.has_port && !authority.port)) {
        return tb_fail(err, TB_E_INVALID, "the target has no host, or its port is not valid");
    }
    if (authority.has_port) {
        goal.port = authority.port;
    }
    if (is_connect) {
        goal.schemes = TB_POLICY_TUNNEL;
    }
    struct tb_str host = authority.host;
    if (authority.ipv6) { /* with its brackets */
        host = (struct tb_str){host.ptr - 1, host.len + 2};
    }
    int rc = tb_host_read(host, &goal.host, err);
    if (rc == 0) {
        *ret_goal = goal;
    }
    return rc;
}

bool tb_heads_can_pass(const struct tb_http1_head *head)
{
    size_t bytes = 0;
    for (size_t i = 0; i < head->header_count; i++) {
        bool is_option = tb_str_eq_nocase(head->headers[i].name, TB_STR("Connection"));
        bytes += is_option ? head->headers[i].value.len : 0;
    }
    return bytes <= OPTIONS_BYTES;
}

/* Written anew, or for the connection it came by. */
static bool stays_behind(struct tb_str name)
{
    static const char *const names[] = {
        "Connection",
        "Proxy-Connection",
        "Keep-Alive",
        "Proxy-Authorization",
        "Proxy-Authenticate",
        "Transfer-Encoding",
        "TE",
        "Trailer",
        "Upgrade",
        "Content-Length",
        "Host",
        "Proxy-Authentication-Info",
    };
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        if (tb_str_eq_nocase(name, tb_str_of(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_named_by_connection(const struct tb_http1_head *head, struct tb_str name)
{
    for (size_t i = 0; i < head->header_count; i++) {
        if (tb_str_eq_nocase(head->headers[i].name, TB_STR("Connection")) &&
            tb_str_list_has(head->headers[i].value, name)) {
            return true;
        }
    }
    return false;
}

static void put_header(struct tb_buf *out, struct tb_str name, struct tb_str value)
{
    tb_buf_append_str(out, name);
    tb_buf_append_cstr(out, ": ");
    tb_buf_append_str(out, value);
    tb_buf_append_cstr(out, "\r\n");
}

static void put_headers(const struct tb_http1_head *head, struct tb_buf *out)
{
    for (size_t i = 0; i < head->header_count; i++) {
        const struct tb_http1_header *header = &head->headers[i];
        if (!stays_behind(header->name) && !is_named_by_connection(head, header->name)) {
            put_header(out, header->name, header->value);
        }
    }
}

static void put_upgrade(const struct tb_http1_head *head, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Connection: Upgrade\r\n");
    put_header(out, TB_STR("Upgrade"), tb_http1_header(head, "Upgrade"));
}

/* A message has one of the two, as it came. */
static void put_framing(const struct tb_http1_head *head, struct tb_buf *out)
{
    if (head->chunked) {
        tb_buf_append_cstr(out, "Transfer-Encoding: chunked\r\n");
    } else if (head->has_length) {
        tb_buf_printf(out, "Content-Length: %llu\r\n", (unsigned long long)head->length);
    }
}

static void put_host(const struct tb_egress_goal *goal, struct tb_buf *out)
{
    bool is_v6 = goal->host.is_ip && !tb_ip_is_v4(&goal->host.ip);
    tb_buf_printf(out, "%s%s%s", is_v6 ? "[" : "", goal->host.name, is_v6 ? "]" : "");
    if (goal->port != HTTP_PORT) {
        tb_buf_printf(out, ":%u", goal->port);
    }
}

void tb_heads_put_credentials(const struct tb_upstream *upstream, struct tb_buf *out)
{
    TB_AUTO(tb_buf_wipe)
    struct tb_buf plain = TB_BUF(sizeof(upstream->user) + sizeof(upstream->password));
    if (upstream->user[0] || upstream->password[0]) {
        tb_buf_printf(&plain, "%s:%s", upstream->user, upstream->password);
        tb_buf_append_cstr(out, "Proxy-Authorization: Basic ");
        tb_base64_encode(plain.data, plain.len, out);
        tb_buf_append_cstr(out, "\r\n");
    }
}

void tb_heads_put_request(const struct tb_http1_head *head, const struct tb_egress_goal *goal,
                          const struct tb_upstream *via, bool upgrade, struct tb_buf *out)
{
    tb_buf_append_str(out, head->method);
    tb_buf_append_char(out, ' ');
    if (via) {
        tb_buf_append_cstr(out, "http://");
        put_host(goal, out);
    }
    tb_buf_append_str(out, head->path);
    if (head->query.ptr) {
        tb_buf_append_char(out, '?');
        tb_buf_append_str(out, head->query);
    }
    tb_buf_append_cstr(out, " HTTP/1.1\r\nHost: ");
    put_host(goal, out);
    tb_buf_append_cstr(out, "\r\n");
    if (via) {
        tb_heads_put_credentials(via, out);
    }
    put_headers(head, out);
    put_framing(head, out);
    if (upgrade) {
        put_upgrade(head, out);
    }
    tb_buf_append_cstr(out, "\r\n");
}

void tb_heads_put_response(const struct tb_http1_head *head, bool keep, bool has_body,
                           struct tb_buf *out)
{
    tb_buf_printf(out, "HTTP/1.1 %d ", head->status);
    tb_buf_append_str(out, head->reason);
    tb_buf_append_cstr(out, "\r\n");
    put_headers(head, out);
    if (head->status == 101) {
        put_upgrade(head, out);
    } else if (head->status >= 200) {
        if (has_body || head->has_length) {
            put_framing(head, out);
        }
        tb_buf_append_cstr(out, keep ? "Connection: keep-alive\r\n" : "Connection: close\r\n");
    }
    tb_buf_append_cstr(out, "\r\n");
}

struct tb_str tb_heads_body_end(const struct tb_http1_head *head)
{
    return head->chunked ? TB_STR("0\r\n\r\n") : TB_STR("");
}
