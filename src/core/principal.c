/* SPDX-License-Identifier: Apache-2.0 */
#include "core/principal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/policy.h"

struct tb_principal *tb_principal_new(const struct tb_principal_spec *spec)
{
    struct tb_principal *principal = TB_NEW(struct tb_principal);
    principal->refs = 1;
    principal->scopes = spec->scopes;
    principal->expires_ms = spec->expires_ms;
    principal->quota = spec->quota;
    principal->policy = tb_policy_ref(spec->policy, "principal");
    assert(strlen(spec->tenant) < TB_TENANT_SIZE && strlen(spec->key) < TB_KEY_SIZE);
    snprintf(principal->tenant, sizeof(principal->tenant), "%s", spec->tenant);
    snprintf(principal->key, sizeof(principal->key), "%s", spec->key);
    snprintf(principal->label, sizeof(principal->label), "%s", spec->label);
    tb_list_init(&principal->live);
    return principal;
}

struct tb_principal *tb_principal_ref(struct tb_principal *principal, const char *why)
{
    (void)why;
    principal->refs++;
    return principal;
}

void tb_principal_unref(struct tb_principal *principal, const char *why)
{
    (void)why;
    if (principal && --principal->refs == 0) {
        assert(tb_list_empty(&principal->live)); /* whoever is on it holds a reference */
        tb_policy_unref(principal->policy, "principal");
        tb_free(principal);
    }
}

bool tb_principal_may(const struct tb_principal *principal, unsigned scopes)
{
    return !principal->revoked && (principal->scopes & scopes) == scopes;
}

const char *tb_principal_name(const struct tb_principal *principal)
{
    return tb_principal_may(principal, TB_SCOPE_OPERATE) ? TB_OPERATOR : principal->key;
}

const char *tb_scope_name(unsigned scopes)
{
    return scopes & TB_SCOPE_OPERATE ? "operate"
           : scopes & TB_SCOPE_ADMIN ? "admin"
           : scopes & TB_SCOPE_ACT   ? "act"
                                     : "observe";
}

bool tb_tenant_name_valid(struct tb_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!name.ptr[i] || !strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", name.ptr[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len < TB_TENANT_SIZE && name.ptr[0] != '-';
}

void tb_principal_add_live(struct tb_principal *principal, struct tb_live *live)
{
    assert(!principal->revoked); /* nobody would end it any more */
    tb_list_append(&principal->live, &live->link);
}

void tb_principal_revoke(struct tb_principal *principal)
{
    struct tb_list *link;
    principal->revoked = true;
    while ((link = tb_list_pop(&principal->live))) {
        struct tb_live *live = TB_CONTAINER(link, struct tb_live, link);
        live->revoked(live);
    }
}

struct tb_str tb_caller_session(const struct tb_caller *caller)
{
    return caller->session ? tb_str_of(caller->session) : TB_STR("");
}
