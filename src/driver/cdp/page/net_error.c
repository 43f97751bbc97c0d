/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/net_error.h"

#include "base/mem.h"
#include "base/quote.h"

static const struct {
    const char *start; /* of the name behind net::ERR_ */
    int code;          /* TB_E_CANNOT_OPEN: the next attempt would end the same way */
    const char *words;
} rows[] = {
    {"NAME_NOT_RESOLVED", TB_E_NAVIGATION, "there is no such host"},
    {"NAME_RESOLUTION_FAILED", TB_E_NAVIGATION, "there is no such host"},
    {"CONNECTION_REFUSED", TB_E_NAVIGATION, "nothing is listening on that port"},
    {"CONNECTION_TIMED_OUT", TB_E_NAVIGATION, "the host does not answer"},
    {"TIMED_OUT", TB_E_NAVIGATION, "the host does not answer"},
    {"ADDRESS_UNREACHABLE", TB_E_NAVIGATION, "the host cannot be reached"},
    {"INTERNET_DISCONNECTED", TB_E_CANNOT_OPEN,
     "there is no network, or the session is set to offline"},
    {"NETWORK_ACCESS_DENIED", TB_E_CANNOT_OPEN, "network access is not allowed"},
    {"CONNECTION_RESET", TB_E_NAVIGATION, "the server reset the connection"},
    {"CONNECTION_CLOSED", TB_E_NAVIGATION, "the server closed the connection"},
    {"SOCKET_NOT_CONNECTED", TB_E_NAVIGATION, "the server closed the connection"},
    {"EMPTY_RESPONSE", TB_E_NAVIGATION, "the server closed the connection without answering"},
    {"TOO_MANY_REDIRECTS", TB_E_CANNOT_OPEN, "the site redirects in a loop"},
    {"CERT_", TB_E_CANNOT_OPEN, "the site's certificate is not trusted"},
    {"SSL_", TB_E_CANNOT_OPEN,
     "the TLS handshake with the server failed; try http:// if it does not use TLS"},
    {"BAD_SSL_CLIENT_AUTH_CERT", TB_E_CANNOT_OPEN, "the site asks for a client certificate"},
    {"INVALID_HTTP_RESPONSE", TB_E_CANNOT_OPEN, "the server there does not speak HTTP"},
    {"RESPONSE_HEADERS_", TB_E_NAVIGATION, "the server's response is malformed"},
    {"INVALID_RESPONSE", TB_E_NAVIGATION, "the server's response is malformed"},
    {"CONTENT_", TB_E_NAVIGATION, "the server's response is malformed"},
    {"UNSAFE_PORT", TB_E_CANNOT_OPEN,
     "browsers refuse to connect to that port; the page must be served on another"},
    {"UNKNOWN_URL_SCHEME", TB_E_CANNOT_OPEN,
     "the site leads to an address that is not a web address"},
    {"DISALLOWED_URL_SCHEME", TB_E_CANNOT_OPEN,
     "the site leads to an address that is not a web address"},
    {"BLOCKED_BY", TB_E_CANNOT_OPEN, "it is blocked"},
    {"PROXY_CONNECTION_FAILED", TB_E_NAVIGATION, "the proxy cannot be reached"},
    {"TUNNEL_CONNECTION_FAILED", TB_E_NAVIGATION, "the proxy refused the connection"},
    {"ABORTED", TB_E_CANNOT_OPEN,
     "the server sent no page (such as 204 No Content), or the page stopped it"},
};

void tb_cdp_net_error_words(struct tb_str name, struct tb_str url, struct tb_err *ret_err)
{
    struct tb_str start = TB_STR("net::ERR_");
    struct tb_str rest = tb_str_starts(name, start) ? tb_str_sub(name, start.len, name.len) : name;
    const char *words = "it could not be loaded";
    int code = TB_E_NAVIGATION;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (tb_str_starts(rest, tb_str_of(rows[i].start))) {
            words = rows[i].words;
            code = rows[i].code;
            break;
        }
    }
    struct tb_quoted shown;
    tb_fail(ret_err, code, "%s: %s (%.*s)", tb_quoted_url(&shown, url), words,
            TB_STR_ARG(tb_str_sub(name, 0, 80)));
}
