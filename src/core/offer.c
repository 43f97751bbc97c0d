/* SPDX-License-Identifier: Apache-2.0 */
#include "core/offer.h"

static const char *const kinds[] = {
#define TB_KIND(NAME, name, error, words) name,
#define TB_KIND_GUEST                     TB_KIND
#include "core/offers.def"
};

static const char *const providers[] = {
#define TB_PROVIDER(NAME, name, endpoint) name,
#include "core/offers.def"
};

static const char *const engines[] = {
#define TB_ENGINE(NAME, name) name,
#include "core/offers.def"
};

const struct tb_offer tb_offer_usual = {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO};

bool tb_session_kind_is_guest(enum tb_session_kind kind)
{
    static const bool guests[TB_KIND_COUNT] = {
#define TB_KIND_GUEST(NAME, name, error, words) [TB_KIND_##NAME] = true,
#include "core/offers.def"
    };
    return guests[kind];
}

bool tb_provider_has_endpoint(enum tb_provider provider)
{
    static const bool endpoints[TB_PROVIDER_COUNT] = {
#define TB_PROVIDER(NAME, name, endpoint) [TB_PROVIDER_##NAME] = (endpoint),
#include "core/offers.def"
    };
    return endpoints[provider];
}

const char *tb_session_kind_name(enum tb_session_kind kind)
{
    return kinds[kind];
}

const char *tb_provider_name(enum tb_provider provider)
{
    return providers[provider];
}

const char *tb_engine_name(enum tb_engine engine)
{
    return engines[engine];
}

/* Its place; -1: it is not among them. */
static int find(const char *const *names, int count, struct tb_str name)
{
    for (int i = 0; i < count; i++) {
        if (tb_str_eq_cstr(name, names[i])) {
            return i;
        }
    }
    return -1;
}

bool tb_session_kind_find(struct tb_str name, enum tb_session_kind *ret_kind)
{
    int at = find(kinds, TB_KIND_COUNT, name);
    if (at >= 0) {
        *ret_kind = (enum tb_session_kind)at;
    }
    return at >= 0;
}

bool tb_provider_find(struct tb_str name, enum tb_provider *ret_provider)
{
    int at = find(providers, TB_PROVIDER_COUNT, name);
    if (at >= 0) {
        *ret_provider = (enum tb_provider)at;
    }
    return at >= 0;
}

bool tb_engine_find(struct tb_str name, enum tb_engine *ret_engine)
{
    int at = find(engines, TB_ENGINE_COUNT, name);
    if (at >= 0) {
        *ret_engine = (enum tb_engine)at;
    }
    return at >= 0;
}

bool tb_offer_serves(const struct tb_offer *row, const struct tb_offer *wanted)
{
    return row->kind == wanted->kind && row->provider == wanted->provider &&
           (row->engine == wanted->engine || row->engine == TB_ENGINE_AUTO ||
            wanted->engine == TB_ENGINE_AUTO);
}
