/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/egress_internal.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/session_internal.h"

/* Counting. */

static int64_t wall_ms(const struct tb_egress *egress)
{
    return tb_clock_wall_ms(egress->egresses->core->clock);
}

static struct tb_egress_host *account_of(struct tb_egress *egress, const char *name)
{
    struct tb_egress_host *host = tb_map_get(&egress->account.hosts, tb_str_of(name));
    if (!host && egress->account.hosts.count >= TB_EGRESS_HOSTS) {
        host = &egress->account.others;
    } else if (!host) {
        host = TB_NEW(struct tb_egress_host);
        host->name = tb_strdup(name);
        tb_map_add(&egress->account.hosts, tb_str_of(host->name), host);
    }
    host->last_wall_ms = wall_ms(egress);
    host->first_wall_ms = host->first_wall_ms ? host->first_wall_ms : host->last_wall_ms;
    return host;
}

void tb_egress_count_request(struct tb_egress_use *use)
{
    struct tb_egress *egress = use->pass ? use->pass->egress : NULL;
    if (egress) {
        egress->egresses->core->metrics.values[TB_METRIC_PROXY_CONNECTIONS]++;
        use->account = account_of(egress, use->goal.host.name);
        use->account->requests++;
    }
}

void tb_egress_count_bytes(struct tb_egress_use *use, size_t in, size_t out)
{
    if (use->account) {
        use->account->bytes_in += in;
        use->account->bytes_out += out;
        use->account->last_wall_ms = wall_ms(use->pass->egress);
        struct tb_metrics *metrics = &use->pass->egress->egresses->core->metrics;
        metrics->values[TB_METRIC_PROXY_BYTES_IN] += (int64_t)in;
        metrics->values[TB_METRIC_PROXY_BYTES_OUT] += (int64_t)out;
    }
}

/* Refusals. */

/* A page chooses the names of hosts, and may write into them what was typed. */
static void tell(struct tb_egress *egress, const struct tb_egress_goal *goal,
                 const struct tb_err *why)
{
    struct tb_event event = tb_session_event(egress->session, TB_EVENT_REQUEST_REFUSED);
    event.outcome = tb_err_name(why->code);
    event.fields[1] = tb_field_cstr("host", goal->host.name);
    event.fields[2] = tb_field_number("port", goal->port);
    event.fields[3] = tb_field_cstr("rule", why->text);
    tb_session_publish(egress->session, &event);
}

static void on_rest(struct tb_flood *flood, int64_t count)
{
    const struct tb_egress *egress = TB_CONTAINER(flood, struct tb_egress, account.flood);
    struct tb_event event = tb_session_event(egress->session, TB_EVENT_REQUEST_REFUSED);
    event.outcome = tb_err_name(TB_E_DENIED);
    event.fields[1] = tb_field_number("count", count);
    tb_bus_publish(&egress->egresses->core->bus, &event);
}

static void keep_refusal(struct tb_egress *egress, const struct tb_egress_goal *goal,
                         const struct tb_err *why)
{
    struct tb_refusal *place =
        &egress->account.refusals[egress->account.refusal_count++ % TB_EGRESS_REFUSALS];
    tb_free(place->host);
    tb_free(place->rule);
    *place = (struct tb_refusal){wall_ms(egress), goal->port, tb_strdup(goal->host.name),
                                 tb_strdup(why->text)};
}

static struct tb_egress_rule *rule_of(struct tb_egress_account *account, const char *text)
{
    struct tb_egress_rule *rule = tb_map_get(&account->rules, tb_str_of(text));
    if (!rule && account->rules.count < TB_EGRESS_HOSTS) {
        rule = TB_NEW(struct tb_egress_rule);
        *rule = (struct tb_egress_rule){tb_strdup(text), account->opened - 1};
        tb_map_add(&account->rules, tb_str_of(rule->text), rule);
    }
    return rule;
}

static bool is_unsaid(const struct tb_egress_account *account, const struct tb_egress_rule *rule)
{
    for (size_t i = 0; i < account->unsaid_count && i < TB_EGRESS_SAID; i++) {
        if (account->unsaid[i] == rule->text) {
            return true;
        }
    }
    return false;
}

/* For a reply, which says each once, and once more for each address that a call opens: a page may
 * ask for the same again and again. */
static void note_rule(struct tb_egress_account *account, const char *text)
{
    struct tb_egress_rule *rule = rule_of(account, text);
    if (!rule || rule->opened == account->opened) {
        return;
    }
    rule->opened = account->opened;
    if (is_unsaid(account, rule)) {
        return;
    }
    if (account->unsaid_count < TB_EGRESS_SAID) {
        account->unsaid[account->unsaid_count] = rule->text;
    }
    account->unsaid_count++;
}

void tb_egress_opens(struct tb_egress *egress)
{
    if (egress) {
        egress->account.opened++;
    }
}

void tb_egress_refused(struct tb_egress *egress, const struct tb_egress_goal *goal,
                       const struct tb_err *why)
{
    egress->egresses->core->metrics.values[TB_METRIC_PROXY_REFUSED]++;
    account_of(egress, goal->host.name)->refused++;
    keep_refusal(egress, goal, why);
    note_rule(&egress->account, why->text);
    if (tb_flood_tells(&egress->account.flood)) {
        tell(egress, goal, why);
    }
}

void tb_egress_account_init(struct tb_egress *egress)
{
    tb_map_init(&egress->account.hosts);
    tb_map_init(&egress->account.rules);
    tb_flood_init(&egress->account.flood, egress->egresses->core->loop, on_rest);
}

void tb_egress_account_fini(struct tb_egress *egress)
{
    struct tb_egress_account *account = &egress->account;
    tb_flood_fini(&account->flood);
    MAP_FOREACH(slot, &account->hosts) {
        struct tb_egress_host *host = slot->value;
        tb_free(host->name);
        tb_free(host);
    }
    tb_map_fini(&account->hosts);
    MAP_FOREACH(slot, &account->rules) {
        struct tb_egress_rule *rule = slot->value;
        tb_free(rule->text);
        tb_free(rule);
    }
    tb_map_fini(&account->rules);
    for (size_t i = 0; i < TB_EGRESS_REFUSALS; i++) {
        tb_free(account->refusals[i].host);
        tb_free(account->refusals[i].rule);
    }
}

/* Telling. */

static void put_masked(const struct tb_mask *mask, const char *key, const char *text,
                       struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    bool is_masked = tb_mask_text(mask, tb_str_of(text), &masked);
    tb_json_member_str(json, key, is_masked ? tb_buf_str(&masked) : tb_str_of(text));
}

static void print_host(const struct tb_egress_host *host, const char *name,
                       const struct tb_mask *mask, struct tb_json_writer *json)
{
    tb_json_object_open(json);
    put_masked(mask, "host", name, json);
    tb_json_member_int(json, "requests", host->requests);
    tb_json_member_int(json, "refused", host->refused);
    tb_json_member_int(json, "bytesIn", (int64_t)host->bytes_in);
    tb_json_member_int(json, "bytesOut", (int64_t)host->bytes_out);
    tb_json_member_int(json, "firstAt", host->first_wall_ms);
    tb_json_member_int(json, "lastAt", host->last_wall_ms);
    tb_json_object_close(json);
}

static void print_refusals(const struct tb_egress_account *account, const struct tb_mask *mask,
                           struct tb_json_writer *json)
{
    size_t from = account->refusal_count > TB_EGRESS_REFUSALS
                      ? account->refusal_count - TB_EGRESS_REFUSALS
                      : 0;
    for (size_t i = from; i < account->refusal_count; i++) {
        const struct tb_refusal *refusal = &account->refusals[i % TB_EGRESS_REFUSALS];
        tb_json_object_open(json);
        put_masked(mask, "host", refusal->host, json);
        tb_json_member_int(json, "port", refusal->port);
        put_masked(mask, "rule", refusal->rule, json);
        tb_json_member_int(json, "at", refusal->wall_ms);
        tb_json_object_close(json);
    }
}

static void print_hosts(const struct tb_egress_account *account, const struct tb_mask *mask,
                        struct tb_json_writer *json)
{
    MAP_FOREACH(slot, &account->hosts) {
        const struct tb_egress_host *host = slot->value;
        print_host(host, host->name, mask, json);
    }
    if (account->others.first_wall_ms) {
        print_host(&account->others, "(others)", mask, json);
    }
}

void tb_egress_say_refused(struct tb_egress *egress, struct tb_buf *out)
{
    struct tb_egress_account *account = egress ? &egress->account : NULL;
    size_t count = account ? account->unsaid_count : 0;
    if (!count) {
        return;
    }
    account->unsaid_count = 0;
    tb_buf_append_cstr(out, "Policy refused requests of the session's pages: ");
    for (size_t i = 0; i < count && i < TB_EGRESS_SAID; i++) {
        tb_buf_printf(out, "%s%s", i ? "; " : "", account->unsaid[i]);
    }
    if (count > TB_EGRESS_SAID) {
        tb_buf_printf(out, "; and %zu more", count - TB_EGRESS_SAID);
    }
    tb_buf_append_cstr(out, ".");
}

void tb_egress_print(const struct tb_session *session, struct tb_json_writer *json)
{
    const struct tb_egress *egress = session->bounds.egress;
    tb_json_object_open(json);
    tb_json_member_bool(json, "proxied", egress != NULL);
    tb_json_key(json, "hosts");
    tb_json_array_open(json);
    if (egress) {
        print_hosts(&egress->account, session->bounds.mask, json);
    }
    tb_json_array_close(json);
    tb_json_key(json, "refused");
    tb_json_array_open(json);
    if (egress) {
        print_refusals(&egress->account, session->bounds.mask, json);
    }
    tb_json_array_close(json);
    tb_json_member_int(json, "refusedTotal", egress ? (int64_t)egress->account.refusal_count : 0);
    tb_json_object_close(json);
}
