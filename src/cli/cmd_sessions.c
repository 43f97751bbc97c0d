/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/time_arg.h"
#include "cli/command.h"
#include "cli/events_print.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/limits.h"

enum {
    PATH_MAX_BYTES = TB_KIB,
    TEXT_MAX = 64 * TB_MIB,
    LABEL_WIDTH = 14,
};

enum verb {
    LIST,
    INFO,
    TERMINATE,
    CLOSE,
    RENEW,
    HIBERNATE,
    WAKE,
    WATCH,
};

static const char *const names[] = {"list",      "info", "terminate", "close", "renew",
                                    "hibernate", "wake", "watch",     NULL};

/* What becomes of a session, by its address. */
static const char *const ends[] = {
    [TERMINATE] = "/close", [CLOSE] = "/close",         [RENEW] = "/renew",
    [WAKE] = "/wake",       [HIBERNATE] = "/hibernate", [WATCH] = NULL,
};

static const char watched[] =
    "session_started,session_expiring,session_renewed,session_hibernated,session_woken,"
    "session_away,session_back,session_held,session_released,session_ended,agent_joined,"
    "agent_left,tools_changed";

struct wish {
    struct tb_wish base;
    const char *id;
    const char *tenant;
    const char *kind;
    const char *state;
    int64_t ttl_ms; /* 0: the usual time */
};

/* "90m" */
static int read_span(const char *text, int64_t *ret_ms, struct tb_err *err)
{
    int64_t before_ms;
    int rc = strchr("smhd", text[strlen(text) - 1]) ? tb_time_arg(text, 0, &before_ms, err) : -1;
    if (rc < 0 || before_ms >= 0) {
        return tb_fail(err, TB_E_PARAMS, "--ttl must be a span such as 90m, 24h or 7d, not '%s'",
                       text);
    }
    *ret_ms = -before_ms;
    return 0;
}

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct {
        const char *name;
        const char **value;
    } options[] = {{"--tenant", &wish->tenant}, {"--kind", &wish->kind}, {"--state", &wish->state}};
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        const char *value = tb_options_own(argc, argv, at, options[i].name);
        if (value) {
            *options[i].value = value;
            return 1;
        }
    }
    const char *ttl = tb_options_own(argc, argv, at, "--ttl");
    if (ttl) {
        return !ttl[0] ? tb_fail(err, TB_E_PARAMS, "--ttl is empty")
               : read_span(ttl, &wish->ttl_ms, err) < 0 ? err->code
                                                        : 1;
    }
    if (argv[*at][0] != '-' && !wish->id && base->verb != LIST) {
        wish->id = argv[*at];
        return 1;
    }
    return tb_daemon_way_option(&base->way, argc, argv, at);
}

static int check(struct tb_wish *base, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    return base->verb == LIST || base->verb == WATCH || (wish->id && wish->id[0])
               ? 0
               : tb_fail(err, TB_E_PARAMS,
                         "name the session by its id or name; 'tabard sessions list' shows the "
                         "names");
}

/* Asking. */

static int put_pair(struct tb_buf *out, char before, const char *name, const char *value)
{
    int rc = tb_buf_printf(out, "%c%s=", before, name);
    return rc < 0 ? rc : tb_daemon_call_escape(value, out);
}

static int put_path(const struct wish *wish, struct tb_buf *out, struct tb_err *err)
{
    const char *end = wish->base.verb < TB_COUNT(ends) ? ends[wish->base.verb] : NULL;
    int rc = tb_buf_append_cstr(out, "/api/sessions");
    if (wish->id) {
        rc = tb_buf_append_char(out, '/');
        rc = rc < 0 ? rc : tb_daemon_call_escape(wish->id, out);
    }
    if (end) {
        rc = rc < 0 ? rc : tb_buf_append_cstr(out, end);
    }
    if (wish->base.verb == LIST && wish->kind) {
        rc = rc < 0 ? rc : put_pair(out, '?', "kind", wish->kind);
    }
    if (wish->base.verb == LIST && wish->state) {
        rc = rc < 0 ? rc : put_pair(out, wish->kind ? '&' : '?', "state", wish->state);
    }
    rc = rc < 0 ? rc : tb_buf_append_char(out, '\0');
    return rc < 0 ? tb_fail(err, rc, "no session has an id or name of this length") : 0;
}

/* Printing. */

static bool has(const struct cJSON *item, const char *flag)
{
    bool is = false;
    return tb_json_bool(tb_json_get(item, flag), &is) && is;
}

/* "active, away" */
static void put_state(const struct cJSON *item, struct tb_buf *out)
{
    static const char *const flags[] = {"hibernated", "away", "held", "private"};
    tb_buf_append_str(out, tb_json_text(item, "state"));
    for (size_t i = 0; i < TB_COUNT(flags); i++) {
        if (has(item, flags[i])) {
            tb_buf_printf(out, ", %s", flags[i]);
        }
    }
}

static void print_head(void)
{
    printf("%-24s %-8s %-20s %-7s %-24s %s\n", "SESSION", "TYPE", "STATE", "CALLS", "LAST ACTIVE",
           "EXPIRES");
}

static void print_row(const struct cJSON *item)
{
    TB_AUTO(tb_buf_fini) struct tb_buf state = TB_BUF(TEXT_MAX);
    int64_t calls = 0;
    tb_json_int(tb_json_get(item, "calls"), &calls);
    put_state(item, &state);
    tb_verbs_print_cell(tb_json_text(item, "sessionId"), SIZE_MAX, 24);
    tb_verbs_print_cell(tb_json_text(item, "type"), SIZE_MAX, 8);
    tb_verbs_print_cell(tb_buf_str(&state), SIZE_MAX, 20);
    printf("%-7lld ", (long long)calls);
    tb_verbs_print_cell(tb_json_text(item, "lastActiveAt"), SIZE_MAX, 24);
    tb_verbs_print_cell(tb_json_text(item, "expiresAt"), SIZE_MAX, 0);
    putchar('\n');
}

static void print_list(const struct cJSON *answer)
{
    print_head();
    JSON_ARRAY_FOREACH(item, tb_json_get(answer, "sessions")) {
        print_row(item);
    }
}

/* Of very many the oldest that sleep are only counted. */
static void print_rest(const struct cJSON *answer)
{
    int64_t rest = 0;
    if (tb_json_int(tb_json_get(answer, "hibernatedNotListed"), &rest)) {
        printf("and %lld more that sleep\n", (long long)rest);
    }
}

static void print_line(const char *label, struct tb_str text)
{
    printf("%-*s ", LABEL_WIDTH, label);
    tb_verbs_print(text.len ? text : TB_STR("-"));
    putchar('\n');
}

static void print_member(const char *label, const struct cJSON *item, const char *key)
{
    print_line(label, tb_json_text(item, key));
}

/* As JSON that a terminal can show. */
static void print_tree(const char *label, const struct cJSON *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TEXT_MAX);
    tb_json_print(json, &text);
    tb_quote_json(tb_buf_str(&text), &shown);
    printf("%-*s %.*s\n", LABEL_WIDTH, label, TB_STR_ARG(tb_buf_str(&shown)));
}

/* Its parts on one line; those that are not there are left out. */
static void print_parts(const char *label, const struct cJSON *item, const char *const *keys)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    for (; *keys; keys++) {
        struct tb_str part = tb_json_text(item, *keys);
        tb_buf_printf(&text, "%s%.*s", text.len && part.len ? "  " : "", TB_STR_ARG(part));
    }
    print_line(label, tb_buf_str(&text));
}

static void print_tools(const struct cJSON *tools)
{
    JSON_ARRAY_FOREACH(tool, tools) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
        tb_buf_append_str(&text, tb_json_text(tool, "name"));
        JSON_ARRAY_FOREACH(capability, tb_json_get(tool, "capabilities")) {
            struct tb_str name = TB_STR("");
            tb_json_str(capability, &name);
            tb_buf_printf(&text, "  %.*s", TB_STR_ARG(name));
        }
        print_line("tool", tb_buf_str(&text));
    }
}

static void print_info(const struct cJSON *answer)
{
    static const char *const owner[] = {"connectionId", "connectedAt", "userAgent", NULL};
    static const char *const agent[] = {"connectionId", "connectedAt", "name", NULL};
    TB_AUTO(tb_buf_fini) struct tb_buf state = TB_BUF(TEXT_MAX);
    const struct cJSON *stats = tb_json_get(answer, "stats");
    int64_t calls = 0;
    int64_t errors = 0;
    tb_json_int(tb_json_get(stats, "toolCalls"), &calls);
    tb_json_int(tb_json_get(stats, "errors"), &errors);
    put_state(answer, &state);
    print_member("id", answer, "id");
    print_member("name", answer, "name");
    print_member("type", answer, "type");
    print_line("state", tb_buf_str(&state));
    print_member("created", answer, "createdAt");
    print_member("expires", answer, "expiresAt");
    print_parts("owner", tb_json_get(answer, "owner"), owner);
    JSON_ARRAY_FOREACH(member, tb_json_get(answer, "members")) {
        print_parts("agent", member, agent);
    }
    print_tools(tb_json_get(answer, "tools"));
    print_tree("capabilities", tb_json_get(answer, "capabilities"));
    printf("%-*s %lld, %lld failed\n", LABEL_WIDTH, "calls", (long long)calls, (long long)errors);
    print_member("last active", stats, "lastActivity");
}

static int print(const struct tb_wish *base, const struct cJSON *answer)
{
    switch ((enum verb)base->verb) {
    case LIST:
        print_list(answer);
        print_rest(answer);
        break;
    case INFO:
        print_info(answer);
        break;
    case TERMINATE:
    case CLOSE:
        fputs(base->verb == CLOSE ? "closed " : "terminated ", stdout);
        tb_verbs_print(tb_json_text(answer, "closed"));
        putchar('\n');
        break;
    case RENEW:
    case HIBERNATE:
    case WAKE:
        print_head();
        print_row(answer);
        break;
    case WATCH:
        break;
    }
    return 0;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    bool acts = base->verb < TB_COUNT(ends) && ends[base->verb];
    TB_AUTO(tb_buf_fini) struct tb_buf path = TB_BUF(PATH_MAX_BYTES);
    char ttl[64];
    if (base->verb == WATCH) {
        const struct tb_events_wish events = {
            .type = watched, .session = wish->id, .kind = wish->kind, .tenant = wish->tenant};
        return tb_events_print(base, config, &events, err);
    }
    int rc = put_path(wish, &path, err);
    if (rc < 0) {
        return rc;
    }
    snprintf(ttl, sizeof(ttl), "{\"ttl_ms\":%lld}", (long long)wish->ttl_ms);
    const struct tb_daemon_call call = {.method = acts ? "POST" : "GET",
                                        .path = (const char *)path.data,
                                        .tenant = wish->tenant,
                                        .body = base->verb == RENEW ? tb_str_of(ttl)
                                                : acts              ? TB_STR("{}")
                                                                    : TB_STR("")};
    return tb_verbs_ask(base, config, &call, print, err);
}

static const char *const own[] = {"--json", "--tenant", "--kind",  "--state",
                                  "--ttl",  "--url",    "--token", NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs verbs = {.command = "sessions",
                                          .names = names,
                                          .own = own,
                                          .take = take,
                                          .check = check,
                                          .work = work};
    struct wish wish = {.id = NULL};
    return tb_verbs_run(&verbs, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", "--runtime-dir", NULL};
    puts("  list            The sessions that there are; --kind and --state choose among them.\n"
         "  info ID         One of them, by its id or name: whose it is, who works in it, the\n"
         "                  tools that its page brings, and how much it was used.\n"
         "  close ID        End it; 'terminate' is the same.\n"
         "  renew ID        Give it as much time as usual, or that of --ttl, from now.\n"
         "  hibernate ID    Save it and free its browser; the next call brings it back.\n"
         "  wake ID         Bring its browser back now.\n"
         "  watch [ID]      Follow what becomes of it, or of all, until you stop it.\n"
         "\n"
         "  --kind KIND     Only sessions of this kind.\n"
         "  --state STATE   Only those that are created, active, idle, hibernated, away or held.\n"
         "  --ttl SPAN      90m, 24h or 7d, for 'renew'.\n"
         "  --tenant NAME   Those of another tenant, for the operator.\n"
         "  --json          JSON instead of text.");
    tb_daemon_way_help();
    tb_options_help(only);
    putchar('\n');
    tb_exit_help();
}

const struct tb_command tb_cmd_sessions = {
    .name = "sessions",
    .arguments = "list | info | close | renew | hibernate | wake | watch [ID] [OPTION]...",
    .summary = "Look at the sessions of a running daemon, and see to them.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
