/* SPDX-License-Identifier: Apache-2.0 */
#include "support/principals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PRINCIPAL(place, name)                                        \
    {                                                                 \
        .refs = 1, .scopes = TB_SCOPES_ALL, .tenant = name, .live = { \
            .next = &(place).live,                                    \
            .prev = &(place).live                                     \
        }                                                             \
    }

struct tb_principal principal_t = PRINCIPAL(principal_t, "t");

static struct tb_principal others[] = {
    PRINCIPAL(others[0], "u"),
    PRINCIPAL(others[1], "v"),
    PRINCIPAL(others[2], "other"),
    PRINCIPAL(others[3], "default"),
};

struct tb_principal *principal_of(const char *tenant)
{
    if (strcmp(tenant, principal_t.tenant) == 0) {
        return &principal_t;
    }
    for (size_t i = 0; i < TB_COUNT(others); i++) {
        if (strcmp(tenant, others[i].tenant) == 0) {
            return &others[i];
        }
    }
    abort();
}

struct tb_principal *principal_with(unsigned scopes)
{
    static struct tb_principal weaker[TB_SCOPES_ALL + 1];
    struct tb_principal *principal = &weaker[scopes & TB_SCOPES_ALL];
    if (!principal->refs) {
        *principal = principal_t;
        principal->refs = 1;
        principal->scopes = scopes;
        tb_list_init(&principal->live);
    }
    return principal;
}
