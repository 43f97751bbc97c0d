/* SPDX-License-Identifier: Apache-2.0 */
/* Principals for tests: one with all scopes for each tenant that they speak of, and for the first
 * of them one for each set of scopes. They are never freed, so that a caller can be a constant. */
#pragma once

#include "core/principal.h"

extern struct tb_principal principal_t;

/* Of the tenants t, u, v, other and default. */
struct tb_principal *principal_of(const char *tenant);
/* Of the tenant t. */
struct tb_principal *principal_with(unsigned scopes);
