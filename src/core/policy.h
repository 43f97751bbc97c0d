/* SPDX-License-Identifier: Apache-2.0 */
/* What agents may do and where pages may go: the one decision, pure, without clock and I/O.
 *
 * A policy is read once from JSON (or from the policy: section of tabard.yaml, which becomes that)
 * and never changes; it is counted. What holds for a session is a set of them: the operator's, its
 * tenant's, those of the keys that call and that started it, and its own. All must allow, so that a
 * later one can only narrow. What was not said limits nothing, but a cloud's metadata service and
 * the daemon's own ports are always out of reach, and private networks are as soon as several
 * tenants share the daemon. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "proto/host.h"
#include "proto/url_parts.h"

struct cJSON;
struct tb_policy;

/* Whose a part of a set is; words for it are in the refusals. */
enum tb_policy_part {
    TB_POLICY_OPERATOR,
    TB_POLICY_TENANT,
    TB_POLICY_KEY,     /* with which somebody calls */
    TB_POLICY_STARTER, /* the key that started the session */
    TB_POLICY_SESSION,
    TB_POLICY_TOOLSET, /* what the document of a toolset wants */
    TB_POLICY_PARTS,
};

/* The daemon's own listeners: its addresses besides loopback, and its ports. */
struct tb_policy_own {
    const struct tb_ip *ips;
    size_t ip_count;
    const uint16_t *ports;
    size_t port_count;
};

struct tb_policy_set {
    const struct tb_policy *parts[TB_POLICY_PARTS]; /* each may be NULL */
    bool shared;                                    /* several tenants use this daemon */
    const struct tb_policy_own *own;                /* NULL: not known */
};

/* What a tool does besides looking, a bit each. */
enum tb_policy_use {
    TB_POLICY_CHANGES = 1,
    TB_POLICY_EVALUATES = 2, /* runs scripts that the caller wrote */
    TB_POLICY_UPLOADS = 4,
    TB_POLICY_DOWNLOADS = 8,
};

/* What a browser sends through CONNECT: https, or a WebSocket of either kind. */
#define TB_POLICY_TUNNEL (TB_SCHEME_HTTP | TB_SCHEME_HTTPS)

/* With one reference. TB_E_PARAMS names the member or rule that is unknown or wrong. */
int tb_policy_read(const struct cJSON *json, struct tb_policy **ret_policy, struct tb_err *err);
/* One that allows nothing, in place of one that could not be read. */
struct tb_policy *tb_policy_new_nothing(void);
struct tb_policy *tb_policy_ref(struct tb_policy *policy, const char *why);
void tb_policy_unref(struct tb_policy *policy, const char *why);
static inline void tb_policy_unref_auto(struct tb_policy **policy)
{
    tb_policy_unref(*policy, "local");
}
/* As it was given. */
const struct cJSON *tb_policy_json(const struct tb_policy *policy);

/* Has rules for where pages connect to. */
bool tb_policy_limits_network(const struct tb_policy *policy);
/* Both say the same; NULL says nothing. */
bool tb_policy_is_same(const struct tb_policy *a, const struct tb_policy *b);
/* Nothing limits where pages connect to, so that no proxy has to watch over it. */
bool tb_policy_is_empty(const struct tb_policy_set *set);

/* Each returns 0, or a failure whose words name the rule and whose it is.
 *
 * Where a request goes, before anybody looks the host up. `schemes` is its scheme, or
 * TB_POLICY_TUNNEL: then a rule for the host that blocks either blocks it, and what is allowed for
 * https is. What is no TLS inside the tunnel has to be judged again, as http. */
int tb_policy_judge_host(const struct tb_policy_set *set, unsigned schemes,
                         const struct tb_host *host, uint16_t port, struct tb_err *err);
/* The same of a whole address, also of those without a host: about:blank is always allowed, and
 * blob: and data: unless `schemes` leaves them out. TB_E_BAD_URL if it cannot be read. */
int tb_policy_judge_url(const struct tb_policy_set *set, struct tb_str url, struct tb_err *err);
/* The address that the host turned out to have. */
int tb_policy_judge_address(const struct tb_policy_set *set, const struct tb_host *host,
                            const struct tb_ip *ip, uint16_t port, struct tb_err *err);
/* A tool by its own name and, if its toolset calls it otherwise, by that (else NULL); `uses` are
 * bits of tb_policy_use. TB_E_DENIED; the words are the rest of a sentence about the tool. */
int tb_policy_judge_tool(const struct tb_policy_set *set, const char *name, const char *shown,
                         unsigned uses, struct tb_err *err);
/* A person has to approve of each call. */
bool tb_policy_asks(const struct tb_policy_set *set, const char *name, const char *shown);
/* The most bytes of one file, for TB_POLICY_DOWNLOADS or TB_POLICY_UPLOADS; 0: not at all; -1: no
 * limit. */
int64_t tb_policy_bytes_max(const struct tb_policy_set *set, enum tb_policy_use use);
