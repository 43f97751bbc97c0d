/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_reply.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/hint.h"
#include "base/json.h"

static const struct {
    int status;
    const char *text;
} texts[] = {
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"}, /* not registered; our row for a call that its caller gave up */
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

const char *tb_http_status_text(int status)
{
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        if (texts[i].status == status) {
            return texts[i].text;
        }
    }
    return "Unknown";
}

bool tb_http_status_has_body(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

void tb_http_date(int64_t wall_ms, char ret_text[TB_HTTP_DATE_SIZE])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(ret_text, TB_HTTP_DATE_SIZE, "%a, %d %b %Y %H:%M:%S GMT", &parts);
}

static bool value_ok(struct tb_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '\r' || value.ptr[i] == '\n' || value.ptr[i] == '\0') {
            return false;
        }
    }
    return true;
}

static void put_headers(struct tb_buf *out, const struct tb_http_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* A bug of ours; where asserts are off, the header is left out before it can split a reply.
         */
        if (!value_ok(headers[i].value)) {
            assert(0 && "a header value holds CR, LF or NUL");
            continue;
        }
        tb_buf_append_cstr(out, headers[i].name);
        tb_buf_append_str(out, TB_STR(": "));
        tb_buf_append_str(out, headers[i].value);
        tb_buf_append_str(out, TB_STR("\r\n"));
    }
}

static void put_number(struct tb_buf *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    tb_buf_append(out, digits + at, sizeof(digits) - at);
}

void tb_http_reply_put_head(struct tb_buf *out, const struct tb_http_reply_head *head)
{
    /* Every reply passes here, and printf would cost more than all the rest. */
    tb_buf_append_str(out, TB_STR("HTTP/1.1 "));
    put_number(out, (uint64_t)head->status);
    tb_buf_append_char(out, ' ');
    tb_buf_append_cstr(out, tb_http_status_text(head->status));
    tb_buf_append_str(out, TB_STR("\r\nDate: "));
    tb_buf_append_cstr(out, head->date);
    tb_buf_append_str(out, TB_STR("\r\n"));
    put_headers(out, head->headers, head->header_count);
    put_headers(out, head->more, head->more_count);
    if (head->framing == TB_HTTP_LENGTH) {
        tb_buf_append_str(out, TB_STR("Content-Length: "));
        put_number(out, head->length);
        tb_buf_append_str(out, TB_STR("\r\n"));
    } else if (head->framing == TB_HTTP_CHUNKED) {
        tb_buf_append_str(out, TB_STR("Transfer-Encoding: chunked\r\n"));
    }
    if (head->persistence == TB_HTTP_CLOSE) {
        tb_buf_append_str(out, TB_STR("Connection: close\r\n"));
    } else if (head->persistence == TB_HTTP_KEEP_1_0) {
        tb_buf_append_str(out, TB_STR("Connection: keep-alive\r\n"));
    }
    tb_buf_append_str(out, TB_STR("\r\n"));
}

/* "session_not_found" says the same to people as "Session not found". */
static void put_title(struct tb_json_writer *json, const char *wire)
{
    TB_AUTO(tb_buf_fini) struct tb_buf title = TB_BUF(SIZE_MAX);
    tb_buf_append_char(&title, (char)toupper((unsigned char)wire[0]));
    for (const char *c = wire + 1; *c; c++) {
        tb_buf_append_char(&title, *c);
        if (*c == '_') {
            title.data[title.len - 1] = ' ';
        }
    }
    tb_json_member_str(json, "title", tb_buf_str(&title));
}

void tb_http_reply_put_problem(struct tb_json_writer *json, int status, int code, const char *text,
                               const char *hint)
{
    const struct tb_err_info *info = tb_err_info(code);
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf type = TB_BUF(SIZE_MAX);
    tb_hint_print(hint ? hint : info->advice, NULL, NULL, &words);
    tb_buf_printf(&type, "urn:tabard:error:%s", info->wire);
    tb_json_key(json, "error");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "code", info->wire);
    tb_json_member_cstr(json, "message", text);
    tb_json_member_str(json, "hint", tb_buf_str(&words));
    tb_json_object_close(json);
    tb_json_member_str(json, "type", tb_buf_str(&type));
    put_title(json, info->wire);
    tb_json_member_int(json, "status", status ? status : info->http_status);
    tb_json_member_cstr(json, "detail", text);
}

void tb_http_reply_put_error(struct tb_buf *out, int status, int code, const char *text,
                             const char *hint)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_http_reply_put_problem(&json, status, code, text, hint);
    tb_json_object_close(&json);
}

void tb_http_reply_put_refusal(struct tb_buf *out, int code, const char *text, const char *date)
{
    static const struct tb_http_header headers[] = {
        {"Content-Type", {TB_HTTP_PROBLEM_TYPE, sizeof(TB_HTTP_PROBLEM_TYPE) - 1}},
        {"Retry-After", {"1", 1}},
    };
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(SIZE_MAX);
    tb_http_reply_put_error(&body, 0, code, text, NULL);
    bool later = tb_err_info(code)->retry == TB_RETRY_LATER;
    struct tb_http_reply_head head = {
        .status = tb_err_info(code)->http_status,
        .headers = headers,
        .header_count = later ? 2 : 1,
        .framing = TB_HTTP_LENGTH,
        .length = body.len,
        .persistence = TB_HTTP_CLOSE,
        .date = date,
    };
    tb_http_reply_put_head(out, &head);
    tb_buf_append_str(out, tb_buf_str(&body));
}
