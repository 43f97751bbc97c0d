/* SPDX-License-Identifier: Apache-2.0 */
#include "core/secret_site.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "core/domain_rules.h"
#include "proto/authority.h"

static bool is_ip(struct tb_str host)
{
    struct tb_ip ip;
    return tb_ip_parse(host, &ip);
}

/* A host that belongs to somebody: one label alone does not, but for this machine, nor does what
 * anybody can have a name below. */
static bool is_domain(const struct tb_host *host)
{
    bool plain = !host->name[strspn(host->name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")];
    return host->is_ip || strcmp(host->name, "localhost") == 0 ||
           (plain && strchr(host->name, '.') && !tb_domain_is_public(host));
}

int tb_secret_domain_parse(struct tb_str text, char ret_domain[TB_SECRET_DOMAIN_SIZE],
                           struct tb_err *err)
{
    struct tb_quoted words;
    struct tb_host host = {.is_ip = false};
    struct tb_err why;
    bool alone = text.len && text.ptr[0] == '=';
    struct tb_str given = tb_str_sub(text, alone, text.len);
    bool known = tb_ip_parse(given, &host.ip);
    if (known) {
        tb_host_from_ip(&host.ip, &host);
    } else {
        known = tb_host_read(given, &host, &why) == 0;
    }
    if (!known || !is_domain(&host)) {
        return tb_fail(err, TB_E_PARAMS,
                       "%s is not a domain: write example.com for it and its subdomains, or "
                       "=example.com for it alone",
                       tb_quoted(&words, text, 0));
    }
    snprintf(ret_domain, TB_SECRET_DOMAIN_SIZE, "%s%s", alone ? "=" : "", host.name);
    return 0;
}

bool tb_secret_domain_has(const char *domain, struct tb_str host)
{
    bool alone = domain[0] == '=';
    struct tb_str name = tb_str_of(domain + alone);
    if (tb_str_eq_nocase(host, name)) {
        return true;
    }
    if (alone || is_ip(name) || host.len <= name.len + 1) {
        return false;
    }
    size_t at = host.len - name.len;
    return host.ptr[at - 1] == '.' && tb_str_eq_nocase(tb_str_sub(host, at, host.len), name);
}

static bool is_this_machine(struct tb_str host)
{
    struct tb_ip ip;
    return tb_ip_parse(host, &ip) ? tb_ip_is_loopback(&ip)
                                  : tb_secret_domain_has("localhost", host);
}

bool tb_secret_origin_host(struct tb_str origin, struct tb_str *ret_host)
{
    struct tb_str scheme;
    struct tb_authority authority;
    if (!tb_origin_parse(origin, &scheme, &authority)) {
        return false;
    }
    bool safe = tb_str_eq_cstr(scheme, "https") ||
                (tb_str_eq_cstr(scheme, "http") && is_this_machine(authority.host));
    if (safe) {
        *ret_host = authority.host;
    }
    return safe;
}
