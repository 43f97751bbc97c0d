/* SPDX-License-Identifier: Apache-2.0 */
#include "core/egress.h"

#include <ifaddrs.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/egress_internal.h"
#include "core/policy.h"
#include "core/session_internal.h"
#include "core/session_policy.h"

/* All of them. */

struct tb_egresses *tb_egresses_new(struct tb_core *core)
{
    struct tb_egresses *egresses = TB_NEW(struct tb_egresses);
    egresses->core = core;
    tb_map_init(&egresses->passes);
    tb_list_init(&egresses->all);
    tb_list_init(&egresses->unbound);
    egresses->own.ports = egresses->own_ports;
    egresses->own.ips = egresses->own_ips;
    tb_random_bytes(egresses->no_hash, sizeof(egresses->no_hash));
    return egresses;
}

void tb_egresses_free(struct tb_egresses *egresses)
{
    if (egresses) {
        tb_map_fini(&egresses->passes);
        tb_free(egresses->proxy);
        tb_free(egresses);
    }
}

void tb_egresses_own_port(struct tb_egresses *egresses, uint16_t port)
{
    if (port && egresses->own.port_count < TB_EGRESS_PORTS) {
        egresses->own_ports[egresses->own.port_count++] = port;
    }
}

const struct tb_policy_own *tb_egresses_own(const struct tb_egresses *egresses)
{
    return egresses ? &egresses->own : NULL;
}

void tb_egresses_set_proxy(struct tb_egresses *egresses, const char *address)
{
    tb_free(egresses->proxy);
    egresses->proxy = tb_strdup(address);
}

const char *tb_egresses_proxy(const struct tb_egresses *egresses)
{
    return egresses ? egresses->proxy : NULL;
}

/* Uses. */

static void cut(struct tb_egress_use *use)
{
    tb_egress_leave(use);
    use->cut(use);
}

/* Each may take others with it, so the list is looked at anew. */
static void cut_all(struct tb_list *uses)
{
    while (!tb_list_empty(uses)) {
        cut(TB_CONTAINER(uses->next, struct tb_egress_use, link));
    }
}

int tb_egress_enter(struct tb_egress_use *use, struct tb_pass *pass, struct tb_err *err)
{
    struct tb_egresses *egresses = pass->egresses;
    const struct tb_config *config = egresses->core->config;
    struct tb_egress *egress = pass->egress;
    if (egresses->uses >= (size_t)config->proxy_connections_max ||
        (egress && egress->uses >= (size_t)config->proxy_session_connections_max)) {
        return tb_fail(err, TB_E_LIMIT, "%s has too many connections through the proxy",
                       egresses->uses >= (size_t)config->proxy_connections_max ? "the daemon"
                                                                               : "the session");
    }
    use->pass = pass;
    use->account = NULL;
    use->has_address = false;
    tb_list_append(&pass->uses, &use->link);
    egresses->uses++;
    if (egress) {
        egress->uses++;
    }
    return 0;
}

void tb_egress_leave(struct tb_egress_use *use)
{
    struct tb_pass *pass = use->pass;
    if (!pass) {
        return;
    }
    use->pass = NULL;
    use->account = NULL;
    tb_list_remove(&use->link);
    pass->egresses->uses--;
    if (pass->egress) {
        pass->egress->uses--;
    }
}

/* Passes. */

struct tb_pass *tb_pass_new(struct tb_egresses *egresses)
{
    struct tb_pass *pass = TB_NEW(struct tb_pass);
    pass->egresses = egresses;
    tb_list_init(&pass->uses);
    tb_token_make(pass->user);
    pass->secret = tb_vault_take(&egresses->core->vault, TB_TOKEN_SIZE);
    tb_token_make(pass->secret);
    tb_token_hash(tb_str_of(pass->secret), pass->hash);
    tb_map_add(&egresses->passes, tb_str_of(pass->user), pass);
    tb_list_append(&egresses->unbound, &pass->link);
    return pass;
}

void tb_pass_free(struct tb_pass *pass)
{
    if (!pass) {
        return;
    }
    cut_all(&pass->uses);
    tb_map_remove(&pass->egresses->passes, tb_str_of(pass->user));
    tb_list_remove(&pass->link);
    tb_vault_give_back(&pass->egresses->core->vault, pass->secret);
    tb_free(pass);
}

const char *tb_pass_user(const struct tb_pass *pass)
{
    return pass->user;
}

const char *tb_pass_secret(const struct tb_pass *pass)
{
    return pass->secret;
}

void tb_pass_note_known(struct tb_pass *pass)
{
    pass->known = true;
}

bool tb_pass_is_known(const struct tb_pass *pass)
{
    return pass->known;
}

void tb_pass_bind(struct tb_pass *pass, struct tb_egress *egress)
{
    cut_all(&pass->uses); /* they were judged by nobody's policy */
    tb_list_remove(&pass->link);
    pass->egress = egress;
    tb_list_append(&egress->passes, &pass->link);
}

struct tb_pass *tb_pass_find(struct tb_egresses *egresses, struct tb_str user, struct tb_str secret)
{
    struct tb_pass *pass = tb_map_get(&egresses->passes, user);
    uint8_t hash[TB_HASH_BYTES];
    tb_token_hash(secret, hash);
    return tb_hash_eq(hash, pass ? pass->hash : egresses->no_hash) ? pass : NULL;
}

struct tb_egress *tb_pass_egress(const struct tb_pass *pass)
{
    return pass->egress;
}

/* Of a session. */

static struct tb_egress *egress_new(struct tb_session *session)
{
    struct tb_egress *egress = TB_NEW(struct tb_egress);
    egress->egresses = session->core->egresses;
    egress->session = session;
    tb_list_init(&egress->passes);
    tb_egress_account_init(egress);
    tb_list_append(&egress->egresses->all, &egress->link);
    return egress;
}

/* The session's own, else that of the operator. */
static int read_upstream(struct tb_egress *egress, const struct cJSON *args, struct tb_err *err)
{
    const struct cJSON *own = tb_json_get(args, "proxy");
    const char *usual = egress->session->core->config->proxy_upstream;
    int rc = 0;
    if ((own || usual[0]) && !egress->upstream) {
        egress->upstream = tb_vault_take(&egress->egresses->core->vault, sizeof(*egress->upstream));
    }
    if (own) {
        rc = tb_upstream_read_json(own, egress->upstream, err);
    } else if (usual[0]) {
        rc = tb_upstream_read(tb_str_of(usual), egress->upstream, err);
        egress->upstream->trusted = true;
    }
    egress->has_upstream = rc == 0 && (own || usual[0]);
    if (rc == 0 && own) { /* it would see all that goes to the hosts that are allowed */
        const struct tb_egress_goal goal = {TB_SCHEME_HTTP, egress->upstream->host,
                                            egress->upstream->port};
        rc = tb_egress_judge(egress, &goal, err);
    }
    return rc;
}

/* Who runs a browser at an endpoint answers for its network. */
static bool is_needed(const struct tb_session *session, const struct cJSON *args)
{
    struct tb_policy_set policies = tb_session_policies(session);
    policies.shared = policies.shared && !tb_json_get(args, "endpoint");
    return tb_json_get(args, "proxy") || session->core->config->proxy_upstream[0] ||
           !tb_policy_is_empty(&policies);
}

int tb_egress_of(struct tb_session *session, const struct cJSON *args,
                 struct tb_egress **ret_egress, struct tb_err *err)
{
    if (!session->bounds.egress && !is_needed(session, args)) {
        *ret_egress = NULL;
        return 0;
    }
    if (!tb_egresses_proxy(session->core->egresses)) {
        return tb_fail(
            err, TB_E_NOT_POSSIBLE,
            "the policy of this session cannot be enforced, because the forward proxy is off; "
            "the operator turns it on with proxy.listen");
    }
    if (!session->bounds.egress) {
        session->bounds.egress = egress_new(session);
    }
    int rc = read_upstream(session->bounds.egress, args, err);
    if (rc == 0) {
        *ret_egress = session->bounds.egress;
    }
    return rc;
}

void tb_egress_end(struct tb_egress *egress)
{
    if (!egress) {
        return;
    }
    while (!tb_list_empty(&egress->passes)) {
        struct tb_pass *pass = TB_CONTAINER(egress->passes.next, struct tb_pass, link);
        cut_all(&pass->uses);
        tb_list_remove(&pass->link);
        pass->egress = NULL;
        tb_list_append(&egress->egresses->unbound, &pass->link);
    }
    tb_flood_close(&egress->account.flood);
}

void tb_egress_free(struct tb_egress *egress)
{
    if (!egress) {
        return;
    }
    tb_egress_end(egress);
    tb_egress_account_fini(egress);
    tb_list_remove(&egress->link);
    tb_vault_give_back(&egress->egresses->core->vault, egress->upstream);
    tb_free(egress);
}

const struct tb_upstream *tb_egress_upstream(const struct tb_egress *egress)
{
    return egress->has_upstream ? egress->upstream : NULL;
}

const struct tb_upstream *tb_egress_passes_on(const struct tb_egress *egress,
                                              const struct tb_egress_goal *goal)
{
    const struct tb_upstream *upstream = tb_egress_upstream(egress);
    bool takes = upstream && upstream->kind == TB_UPSTREAM_HTTP;
    return takes && goal->schemes == TB_SCHEME_HTTP ? upstream : NULL;
}

/* Judging. */

/* The addresses of this machine may change while it runs. */
static void look_at_interfaces(struct tb_egresses *egresses)
{
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list) < 0) {
        return;
    }
    egresses->own.ip_count = 0;
    for (const struct ifaddrs *each = list; each && egresses->own.ip_count < TB_EGRESS_IPS;
         each = each->ifa_next) {
        struct tb_ip *ip = &egresses->own_ips[egresses->own.ip_count];
        egresses->own.ip_count += each->ifa_addr && tb_ip_from_sockaddr(each->ifa_addr, ip);
    }
    freeifaddrs(list);
}

static bool is_own_port(const struct tb_egresses *egresses, uint16_t port)
{
    for (size_t i = 0; i < egresses->own.port_count; i++) {
        if (egresses->own_ports[i] == port) {
            return true;
        }
    }
    return false;
}

int tb_egress_judge(const struct tb_egress *egress, const struct tb_egress_goal *goal,
                    struct tb_err *err)
{
    if (is_own_port(egress->egresses, goal->port)) {
        look_at_interfaces(egress->egresses);
    }
    const struct tb_policy_set policies = tb_session_policies(egress->session);
    return tb_policy_judge_host(&policies, goal->schemes, &goal->host, goal->port, err);
}

int tb_egress_judge_address(const struct tb_egress *egress, const struct tb_egress_goal *goal,
                            const struct tb_ip *address, struct tb_err *err)
{
    if (is_own_port(egress->egresses, goal->port)) {
        look_at_interfaces(egress->egresses);
    }
    const struct tb_policy_set policies = tb_session_policies(egress->session);
    return tb_policy_judge_address(&policies, &goal->host, address, goal->port, err);
}

bool tb_egress_needs_address(const struct tb_egress *egress, const struct tb_egress_goal *goal)
{
    /* As good as any address of a private network, and none that a rule is likely to name. */
    static const struct tb_ip private_address = {
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 255, 255, 254}};
    return !goal->host.is_ip && tb_egress_judge_address(egress, goal, &private_address, NULL) < 0;
}

static bool is_allowed(const struct tb_egress *egress, const struct tb_egress_use *use)
{
    return tb_egress_judge(egress, &use->goal, NULL) == 0 &&
           (!use->has_address ||
            tb_egress_judge_address(egress, &use->goal, &use->address, NULL) == 0);
}

/* The first that may not go on; NULL: there is none. */
static struct tb_egress_use *find_forbidden(const struct tb_egress *egress)
{
    LIST_FOREACH(pass_link, &egress->passes) {
        LIST_FOREACH(link, &TB_CONTAINER(pass_link, struct tb_pass, link)->uses) {
            struct tb_egress_use *use = TB_CONTAINER(link, struct tb_egress_use, link);
            if (!is_allowed(egress, use)) {
                return use;
            }
        }
    }
    return NULL;
}

void tb_egresses_review(struct tb_egresses *egresses)
{
    if (!egresses) {
        return;
    }
    LIST_FOREACH(link, &egresses->all) {
        struct tb_egress_use *use;
        while ((use = find_forbidden(TB_CONTAINER(link, struct tb_egress, link)))) {
            cut(use);
        }
    }
}
