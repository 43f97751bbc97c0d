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
    {"CONNECTION_REFUSED", "nothing listens at that port"},
    {"CONNECTION_TIMED_OUT", "the host does not answer"},
    {"TIMED_OUT", "the host does not answer"},
    {"ADDRESS_UNREACHABLE", "the host cannot be reached"},
    {"INTERNET_DISCONNECTED", "there is no network, or the session is set offline"},
    {"NETWORK_ACCESS_DENIED", "the network may not be used"},
    {"CONNECTION_RESET", "the server broke the connection"},
    {"CONNECTION_CLOSED", "the server closed the connection"},
    {"EMPTY_RESPONSE", "the server closed the connection without an answer"},
    {"TOO_MANY_REDIRECTS", "the site redirects without end"},
    {"CERT_", "the certificate of the site is not trusted"},
    {"SSL_", "the server does not speak TLS as it should; try http:// if it has no TLS"},
    {"BAD_SSL_CLIENT_AUTH_CERT", "the site wants a certificate of the user"},
    {"INVALID_HTTP_RESPONSE", "what answers there does not speak HTTP"},
    {"RESPONSE_HEADERS_", "the answer of the server is broken"},
    {"INVALID_RESPONSE", "the answer of the server is broken"},
    {"CONTENT_", "the answer of the server is broken"},
    {"UNSAFE_PORT", "browsers do not connect to that port"},
    {"UNKNOWN_URL_SCHEME", "the site leads to an address that is not of the web"},
    {"DISALLOWED_URL_SCHEME", "the site leads to an address that is not of the web"},
    {"BLOCKED_BY", "it is blocked"},
    {"PROXY_CONNECTION_FAILED", "the proxy cannot be reached"},
    {"TUNNEL_CONNECTION_FAILED", "the proxy does not let it through"},
    {"ABORTED",
     "the server answered with no page (204 No Content or the like), or the page stopped it"},
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
