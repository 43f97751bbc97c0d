/* SPDX-License-Identifier: Apache-2.0 */
/* A list of hosts that a policy allows or blocks, made once and then only asked. A rule is
 *
 *   example.com  *.example.com      the host and all below it
 *   =example.com                    the host alone
 *   https://example.com  example.com:8443  https://example.com:8443
 *   192.0.2.7  [2001:db8::7]  10.0.0.0/8  [fd00::]/8
 *
 * Names are found by their labels in a hash table and addresses by bisection, so that ten thousand
 * rules cost what ten cost. A whole public suffix (com, co.uk, github.io) is no rule. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "proto/url_parts.h"

struct tb_domain_rules;

/* A public suffix, under which anybody can have a name. */
bool tb_domain_is_public(const struct tb_host *host);

struct tb_domain_rules *tb_domain_rules_new(void);
void tb_domain_rules_free(struct tb_domain_rules *rules);
TB_DEFINE_AUTO(struct tb_domain_rules *, tb_domain_rules_free)
/* TB_E_PARAMS for what is no rule, with words. */
int tb_domain_rules_add(struct tb_domain_rules *rules, struct tb_str text, struct tb_err *err);
/* Once, after the last rule and before the first question. TB_E_PARAMS if too many are for one
 * network. */
int tb_domain_rules_finish(struct tb_domain_rules *rules, struct tb_err *err);
/* The rule that fits, as it was written; NULL if none does. `schemes` are those that the request
 * may have: a rule with another scheme does not fit. */
const char *tb_domain_rules_find(const struct tb_domain_rules *rules, unsigned schemes,
                                 const struct tb_host *host, uint16_t port);
