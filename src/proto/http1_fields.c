/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/authority.h"
#include "proto/http1_internal.h"

/* The headers that frame a message or speak to this connection. */
struct fields {
    size_t hosts;
    size_t lengths;
    size_t codings;
    struct tb_str host; /* the last one of each; a second one is refused */
    struct tb_str length;
    struct tb_str coding;
    bool close;
    bool keep_alive;
    bool upgrade_named;
    bool upgrade;
    bool expect_continue;
    bool expect_other;
};

static void note_connection(struct fields *fields, struct tb_str value)
{
    fields->close |= tb_str_list_has(value, TB_STR("close"));
    fields->keep_alive |= tb_str_list_has(value, TB_STR("keep-alive"));
    fields->upgrade_named |= tb_str_list_has(value, TB_STR("upgrade"));
}

static void note_expect(struct fields *fields, struct tb_str value)
{
    bool known = tb_str_eq_nocase(value, TB_STR("100-continue"));
    fields->expect_continue |= known;
    fields->expect_other |= !known;
}

static void note_header(struct fields *fields, struct tb_str name, struct tb_str value)
{
    if (tb_str_eq_nocase(name, TB_STR("host"))) {
        fields->hosts++;
        fields->host = value;
    } else if (tb_str_eq_nocase(name, TB_STR("content-length"))) {
        fields->lengths++;
        fields->length = value;
    } else if (tb_str_eq_nocase(name, TB_STR("transfer-encoding"))) {
        fields->codings++;
        fields->coding = value;
    } else if (tb_str_eq_nocase(name, TB_STR("connection"))) {
        note_connection(fields, value);
    } else if (tb_str_eq_nocase(name, TB_STR("upgrade"))) {
        fields->upgrade = true;
    } else if (tb_str_eq_nocase(name, TB_STR("expect"))) {
        note_expect(fields, value);
    }
}

/* Only "chunked" alone is taken. Something else before it is a coding that we do not have (501);
 * with chunked not last, or twice, the end of the body is anybody's guess (RFC 9112 6.3: 400). */
static int parse_coding(struct tb_http1_head *head, const struct fields *fields, struct tb_err *err)
{
    if (head->minor == 0 || fields->codings > 1) {
        return tb_fail(err, TB_E_PROTOCOL, "Transfer-Encoding is given twice, or in HTTP/1.0");
    }
    struct tb_str rest = fields->coding;
    size_t items = 0;
    size_t chunked = 0;
    bool last = false;
    while (rest.ptr) {
        struct tb_str item = tb_str_trim(tb_str_cut(&rest, ','));
        if (!tb_http1_all(item, TB_HTTP1_TOKEN)) {
            return tb_fail(err, TB_E_PROTOCOL, "Transfer-Encoding is not a list of names");
        }
        items++;
        last = tb_str_eq_nocase(item, TB_STR("chunked"));
        chunked += last;
    }
    if (!last || chunked > 1) {
        return tb_fail(err, TB_E_PROTOCOL, "Transfer-Encoding must end in chunked, given once");
    }
    if (items > 1) {
        return tb_fail(err, TB_E_UNSUPPORTED, "the only supported transfer coding is chunked");
    }
    head->chunked = true;
    return 0;
}

/* Two lengths are refused even if they agree: a peer that writes both does not know what it sends,
 * and the next parser may take the other one. */
static int parse_framing(struct tb_http1_head *head, const struct fields *fields,
                         struct tb_err *err)
{
    if (fields->lengths + (fields->codings ? 1 : 0) > 1) {
        return tb_fail(err, TB_E_PROTOCOL, "more than one header says where the body ends");
    }
    if (fields->codings) {
        return parse_coding(head, fields, err);
    }
    if (fields->lengths) {
        if (!tb_str_to_u64(fields->length, &head->length)) {
            return tb_fail(err, TB_E_PROTOCOL, "Content-Length is not a number");
        }
        head->has_length = true;
    }
    return 0;
}

static uint16_t port_or(const struct tb_authority *authority, uint16_t fallback)
{
    return authority->has_port ? authority->port : fallback;
}

/* The port that an address means when it names none: the scheme's; for CONNECT the one it asks for.
 */
static uint16_t default_port(const struct tb_http1_head *head, const struct tb_authority *target)
{
    if (head->form == TB_HTTP1_AUTHORITY) {
        return target->port;
    }
    if (tb_str_eq_nocase(head->scheme, TB_STR("http")) ||
        tb_str_eq_nocase(head->scheme, TB_STR("ws"))) {
        return 80;
    }
    return tb_str_eq_nocase(head->scheme, TB_STR("https")) ||
                   tb_str_eq_nocase(head->scheme, TB_STR("wss"))
               ? 443
               : 0;
}

/* RFC 9112 3.2.2 lets the target win over a Host that differs. We refuse: whoever looked at Host
 * before us, or looks behind us, has judged another site than the one we would serve. */
static int check_same_host(const struct tb_http1_head *head, const struct tb_authority *host,
                           struct tb_err *err)
{
    struct tb_authority target;
    if (!tb_authority_parse(head->authority, &target)) {
        return tb_fail(err, TB_E_PROTOCOL, "the request target has no valid host");
    }
    uint16_t fallback = default_port(head, &target);
    if (!tb_str_eq_nocase(target.host, host->host) ||
        port_or(&target, fallback) != port_or(host, fallback)) {
        return tb_fail(err, TB_E_PROTOCOL, "the request target and Host name different sites");
    }
    return 0;
}

/* An empty Host, which RFC 9112 3.2 knows, is refused too: no check of the host could pass it. */
static int parse_host(struct tb_http1_head *head, const struct fields *fields, struct tb_err *err)
{
    if (fields->hosts == 0 && head->minor == 0) {
        return 0;
    }
    struct tb_authority host;
    if (fields->hosts != 1 || !tb_authority_parse(fields->host, &host)) {
        return tb_fail(err, TB_E_PROTOCOL,
                       "a request must have exactly one Host header with a valid host");
    }
    if (head->authority.ptr) {
        return check_same_host(head, &host, err);
    }
    head->authority = fields->host;
    return 0;
}

static int parse_request(struct tb_http1_head *head, const struct fields *fields,
                         struct tb_err *err)
{
    int rc = parse_host(head, fields, err);
    if (rc < 0) {
        return rc;
    }
    bool body = tb_http1_has_body(head);
    if (body && head->form == TB_HTTP1_AUTHORITY) {
        /* What follows CONNECT is the tunnel (RFC 9110 9.3.6); a body there is read in two ways. */
        return tb_fail(err, TB_E_PROTOCOL, "CONNECT has no body");
    }
    if (fields->expect_other) {
        return tb_fail(err, TB_E_EXPECTATION, "the only supported expectation is 100-continue");
    }
    /* RFC 9110 10.1.1: not from HTTP/1.0, and pointless without a body. */
    head->expect_continue = fields->expect_continue && head->minor == 1 && body;
    return 0;
}

int tb_http1_fields_parse(enum tb_http1_kind kind, struct tb_http1_head *head, struct tb_err *err)
{
    struct fields fields = {0};
    for (size_t i = 0; i < head->header_count; i++) {
        note_header(&fields, head->headers[i].name, head->headers[i].value);
    }
    int rc = parse_framing(head, &fields, err);
    if (rc < 0) {
        return rc;
    }
    head->keep_alive = !fields.close && (head->minor == 1 || fields.keep_alive);
    /* RFC 9110 7.8: an Upgrade from HTTP/1.0 is ignored. */
    head->upgrade = fields.upgrade && fields.upgrade_named && head->minor == 1;
    return kind == TB_HTTP1_REQUEST ? parse_request(head, &fields, err) : 0;
}
