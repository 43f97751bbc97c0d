/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions there can be: of a kind, from a provider, with an engine. A driver lists the rows
 * that it serves, and is found by them (tb_driver_find). All names are in core/offers.def; a new
 * kind, provider or engine is a row there. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum tb_session_kind {
#define TB_KIND(NAME, name, error, words) TB_KIND_##NAME,
#define TB_KIND_GUEST                     TB_KIND
#include "core/offers.def"
    TB_KIND_COUNT,
};

enum tb_provider {
#define TB_PROVIDER(NAME, name, endpoint) TB_PROVIDER_##NAME,
#include "core/offers.def"
    TB_PROVIDER_COUNT,
};

enum tb_engine {
#define TB_ENGINE(NAME, name) TB_ENGINE_##NAME,
#include "core/offers.def"
    TB_ENGINE_COUNT,
};

struct tb_offer {
    enum tb_session_kind kind;
    enum tb_provider provider;
    enum tb_engine engine;
};

/* Ends a driver's rows. */
#define TB_OFFER_END                                          \
    {                                                         \
        TB_KIND_COUNT, (enum tb_provider)0, (enum tb_engine)0 \
    }

/* What a call gets that needs a session and says nothing of it. */
extern const struct tb_offer tb_offer_usual;

const char *tb_session_kind_name(enum tb_session_kind kind);
const char *tb_provider_name(enum tb_provider provider);
const char *tb_engine_name(enum tb_engine engine);
/* It comes by itself, and comes back: a page, the user's own browser. */
bool tb_session_kind_is_guest(enum tb_session_kind kind);
/* It is somewhere else, at an endpoint that the caller has to name. */
bool tb_provider_has_endpoint(enum tb_provider provider);
/* By their names; false when there is none. */
bool tb_session_kind_find(struct tb_str name, enum tb_session_kind *ret_kind);
bool tb_provider_find(struct tb_str name, enum tb_provider *ret_provider);
bool tb_engine_find(struct tb_str name, enum tb_engine *ret_engine);
/* The row serves what is wanted. With `auto` the caller takes any engine, or the driver makes no
 * difference between them. */
bool tb_offer_serves(const struct tb_offer *row, const struct tb_offer *wanted);
