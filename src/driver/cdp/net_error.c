/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/net_error.h"

#include "base/mem.h"
#include "base/quote.h"

static const struct {
    const char *start; /* of the name behind net::ERR_ */
    const char *words;
} rows[] = {
    {"NAME_NOT_RESOLVED", "there is no such host"},
    {"NAME_RESOLUTION_FAILED", "there is no such host"},
    {"CONNECTION_REFUSED", "nothing is listening on that port"},
    {"CONNECTION_TIMED_OUT", "the host does not answer"},
    {"TIMED_OUT", "the host does not answer"},
    {"ADDRESS_UNREACHABLE", "the host cannot be reached"},
    {"INTERNET_DISCONNECTED", "there is no network, or the session is set to offline"},
    {"NETWORK_ACCESS_DENIED", "network access is not allowed"},
    {"CONNECTION_RESET", "the server reset the connection"},
    {"CONNECTION_CLOSED", "the server closed the connection"},
    {"SOCKET_NOT_CONNECTED", "the server closed the connection"},
    {"EMPTY_RESPONSE", "the server closed the connection without answering"},
    {"TOO_MANY_REDIRECTS", "the site redirects in a loop"},
    {"CERT_", "the site's certificate is not trusted"},
    {"SSL_", "the TLS handshake with the server failed; try http:// if it does not use TLS"},
    {"BAD_SSL_CLIENT_AUTH_CERT", "the site asks for a client certificate"},
    {"INVALID_HTTP_RESPONSE", "the server there does not speak HTTP"},
    {"RESPONSE_HEADERS_", "the server's response is malformed"},
    {"INVALID_RESPONSE", "the server's response is malformed"},
    {"CONTENT_", "the server's response is malformed"},
    {"UNSAFE_PORT", "browsers refuse to connect to that port"},
    {"UNKNOWN_URL_SCHEME", "the site leads to an address that is not a web address"},
    {"DISALLOWED_URL_SCHEME", "the site leads to an address that is not a web address"},
    {"BLOCKED_BY", "it is blocked"},
    {"PROXY_CONNECTION_FAILED", "the proxy cannot be reached"},
    {"TUNNEL_CONNECTION_FAILED", "the proxy refused the connection"},
    {"ABORTED", "the server sent no page (such as 204 No Content), or the page stopped it"},
};

void tb_net_error_words(struct tb_str name, struct tb_str url, struct tb_err *ret_err)
{
    struct tb_str start = TB_STR("net::ERR_");
    struct tb_str rest = tb_str_starts(name, start) ? tb_str_sub(name, start.len, name.len) : name;
    const char *words = "it could not be loaded";
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (tb_str_starts(rest, tb_str_of(rows[i].start))) {
            words = rows[i].words;
            break;
        }
    }
    struct tb_quoted shown;
    tb_fail(ret_err, TB_E_NAVIGATION, "%s: %s (%.*s)", tb_quoted_url(&shown, url), words,
            TB_STR_ARG(tb_str_sub(name, 0, 80)));
}
