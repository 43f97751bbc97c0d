/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "proto/http1_internal.h"

/* The scanner has seen to it that every line has its CRLF and that no other CR is there. */
static struct tb_str cut_line(struct tb_str *rest)
{
    struct tb_str line = tb_str_cut(rest, '\r');
    *rest = tb_str_sub(*rest, 1, rest->len);
    return line;
}

/* Only 1.0 and 1.1: no 1.2 was ever published, and what a later version would change is unknown. */
static int version(struct tb_str text, int *ret_minor, struct tb_err *err)
{
    if (!tb_str_eq(text, TB_STR("HTTP/1.0")) && !tb_str_eq(text, TB_STR("HTTP/1.1"))) {
        return tb_fail(err, TB_E_PROTOCOL, "the version is neither HTTP/1.0 nor HTTP/1.1");
    }
    *ret_minor = text.ptr[text.len - 1] - '0';
    return 0;
}

static int request_line(struct tb_str line, struct tb_http1_head *head, struct tb_err *err)
{
    head->method = tb_str_cut(&line, ' ');
    head->target = tb_str_cut(&line, ' ');
    int rc = version(line, &head->minor, err);
    if (rc < 0) {
        return rc;
    }
    if (!tb_http1_all(head->method, TB_HTTP1_TOKEN)) {
        return tb_fail(err, TB_E_PROTOCOL, "the method is not a token");
    }
    return tb_http1_target_parse(head, err);
}

static int status_line(struct tb_str line, struct tb_http1_head *head, struct tb_err *err)
{
    int rc = version(tb_str_cut(&line, ' '), &head->minor, err);
    if (rc < 0) {
        return rc;
    }
    struct tb_str digits = tb_str_cut(&line, ' ');
    uint64_t status;
    /* The space before the reason is there even when the reason is empty (RFC 9112 4). */
    if (!line.ptr || digits.len != 3 || !tb_str_to_u64(digits, &status) || status < 100) {
        return tb_fail(err, TB_E_PROTOCOL, "the status line has no status of three digits");
    }
    head->status = (int)status;
    head->reason = line;
    return 0;
}

static void split_headers(struct tb_str rest, struct tb_http1_message *message, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tb_str line = cut_line(&rest);
        message->headers[i].name = tb_str_cut(&line, ':');
        message->headers[i].value = tb_str_trim(line);
    }
    message->head.headers = message->headers;
    message->head.header_count = count;
}

int tb_http1_message_new(enum tb_http1_kind kind, struct tb_str bytes, size_t header_count,
                         struct tb_http1_message **ret_message, struct tb_err *err)
{
    TB_AUTO(tb_free)
    struct tb_http1_message *message =
        tb_zalloc(sizeof *message + header_count * sizeof message->headers[0]);
    struct tb_str line = cut_line(&bytes);
    int rc = kind == TB_HTTP1_REQUEST ? request_line(line, &message->head, err)
                                      : status_line(line, &message->head, err);
    if (rc < 0) {
        return rc;
    }
    split_headers(bytes, message, header_count);
    rc = tb_http1_fields_parse(kind, &message->head, err);
    if (rc < 0) {
        return rc;
    }
    *ret_message = message;
    message = NULL;
    return 0;
}

bool tb_http1_has_body(const struct tb_http1_head *head)
{
    return head->chunked || (head->has_length && head->length > 0);
}

struct tb_str tb_http1_header(const struct tb_http1_head *head, const char *name)
{
    struct tb_str wanted = tb_str_of(name);
    for (size_t i = 0; i < head->header_count; i++) {
        if (tb_str_eq_nocase(head->headers[i].name, wanted)) {
            return head->headers[i].value;
        }
    }
    return (struct tb_str){NULL, 0};
}

size_t tb_http1_header_times(const struct tb_http1_head *head, const char *name)
{
    struct tb_str wanted = tb_str_of(name);
    size_t times = 0;
    for (size_t i = 0; i < head->header_count; i++) {
        times += tb_str_eq_nocase(head->headers[i].name, wanted);
    }
    return times;
}
