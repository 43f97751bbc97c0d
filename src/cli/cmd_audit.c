/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/time_arg.h"
#include "cli/audit_open.h"
#include "cli/audit_print.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "core/audit.h"
#include "core/limits.h"

enum {
    TAIL_COUNT = 20,
    SEARCH_COUNT = 1000,
    FOLLOW_MS = 500,
};

struct wish {
    struct tb_wish base;
    struct tb_audit_query query;
    bool limited; /* -n was given */
    bool follow;
};

/* A verb of the command: its exit code. */
struct verb {
    bool searches; /* takes the options that say which entries */
    int (*run)(const struct wish *wish, struct tb_audit_log *log);
};

/* Printing. */

static enum tb_audit_form form_of(const struct wish *wish)
{
    return wish->base.json ? TB_AUDIT_JSON : TB_AUDIT_TABLE;
}

struct printing {
    enum tb_audit_form form;
    bool begun;  /* the head of the table is there */
    bool failed; /* nobody reads any more, or the disk is full */
};

static void write_out(struct printing *printing, const struct tb_buf *text)
{
    if (fwrite(text->data, 1, text->len, stdout) != text->len) {
        printing->failed = true;
    }
}

static void print_head(struct printing *printing)
{
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(TB_KIB);
    tb_audit_print_head(printing->form, &line);
    if (line.len) {
        write_out(printing, &line);
    }
    printing->begun = true;
}

static void print_entry(const struct tb_audit_entry *entry, void *user)
{
    struct printing *printing = user;
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(TB_MIB);
    if (!printing->begun) {
        print_head(printing);
    }
    tb_audit_print(entry, printing->form, &line);
    write_out(printing, &line);
}

static int finish(struct printing *printing, int rc, const struct tb_err *err)
{
    if (rc < 0) {
        fprintf(stderr, "tabard audit: %s\n", err->text);
    } else if (!printing->begun && printing->form == TB_AUDIT_TABLE) {
        puts("No entries match.");
    }
    return fflush(stdout) != 0 || printing->failed || rc < 0 ? 1 : 0;
}

/* The verbs. */

static int run_search(const struct wish *wish, struct tb_audit_log *log)
{
    struct printing printing = {.form = form_of(wish)};
    struct tb_audit_query query = wish->query;
    struct tb_err err;
    query.newest_first = true;
    query.limit = wish->limited ? query.limit : SEARCH_COUNT;
    int rc = tb_sqlite_log_query(log->log, &query, print_entry, &printing, &err);
    return finish(&printing, rc, &err);
}

static int run_export(const struct wish *wish, struct tb_audit_log *log)
{
    struct printing printing = {.form = TB_AUDIT_JSON};
    struct tb_err err;
    int rc = tb_sqlite_log_query(log->log, &wish->query, print_entry, &printing, &err);
    return finish(&printing, rc, &err);
}

static void note_oldest(const struct tb_audit_entry *entry, void *user)
{
    *(int64_t *)user = entry->seq;
}

/* The last ones in the order in which they were written, so that more can follow. */
static int run_tail(const struct wish *wish, struct tb_audit_log *log)
{
    struct printing printing = {.form = form_of(wish)};
    struct tb_audit_query query = wish->query;
    struct tb_audit_cut cut;
    struct tb_audit_cut head = {0};
    struct tb_err err;
    int64_t oldest = 0;
    query.newest_first = true;
    query.limit = wish->limited ? query.limit : TAIL_COUNT;
    int rc = tb_sqlite_log_query(log->log, &query, note_oldest, &oldest, &err);
    query = wish->query;
    query.limit = 0;
    query.after_seq = oldest ? oldest - 1 : 0;
    if (wish->follow) {
        print_head(&printing);
    }
    while (rc == 0) {
        /* Up to the head, so that no entry is looked at twice, whether it fits or not. */
        rc = tb_sqlite_log_ends(log->log, &cut, &head, &err);
        query.before_seq = head.seq + 1;
        if (rc == 0) {
            rc = tb_sqlite_log_query(log->log, &query, print_entry, &printing, &err);
        }
        if (!wish->follow || fflush(stdout) != 0 || printing.failed) {
            break;
        }
        query.after_seq = head.seq;
        poll(NULL, 0, FOLLOW_MS);
    }
    return finish(&printing, rc, &err);
}

static void print_verdict(const struct tb_audit_verify *verify, const struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_json_object_open(&json);
    tb_json_member_bool(&json, "right", !err);
    if (err) {
        tb_json_member_cstr(&json, "reason", err->text);
    } else {
        tb_json_member_int(&json, "first", verify->first_seq);
        tb_json_member_int(&json, "last", verify->seq);
    }
    tb_json_object_close(&json);
    printf("%.*s\n", TB_STR_ARG(tb_buf_str(&text)));
}

static int run_verify(const struct wish *wish, struct tb_audit_log *log)
{
    struct tb_audit_verify verify;
    struct tb_err err;
    int rc = tb_audit_check(log, &verify, &err);
    if (wish->base.json) {
        print_verdict(&verify, rc < 0 ? &err : NULL);
    } else if (rc < 0) {
        printf("The audit log %s: %s.\n",
               rc == TB_E_STORE ? "could not be checked" : "does not match what was written",
               err.text);
    } else if (verify.first_seq) {
        printf("The audit log is intact, from entry %lld to %lld.\n", (long long)verify.first_seq,
               (long long)verify.seq);
    } else {
        puts("The audit log is intact and empty.");
    }
    return rc < 0 ? 1 : 0;
}

static const char *const names[] = {"tail", "search", "verify", "export", NULL};

static const struct verb verbs[] = {
    {true, run_tail},
    {true, run_search},
    {false, run_verify},
    {true, run_export},
};

/* Options. */

static int read_count(struct wish *wish, const char *text, struct tb_err *err)
{
    uint64_t count;
    if (!tb_str_to_u64(tb_str_of(text), &count) || count == 0 || count > INT64_MAX) {
        return tb_fail(err, TB_E_PARAMS, "-n must be a whole number of at least 1, not '%s'", text);
    }
    wish->query.limit = (int64_t)count;
    wish->limited = true;
    return 0;
}

static struct tb_str *text_option(struct tb_audit_query *query, const char *name)
{
    const struct {
        const char *name;
        struct tb_str *text;
    } options[] = {{"--session", &query->session},
                   {"--tenant", &query->tenant},
                   {"--tool", &query->tool},
                   {"--type", &query->type},
                   {"--text", &query->text}};
    for (size_t i = 0; i < TB_COUNT(options); i++) {
        if (strcmp(options[i].name, name) == 0) {
            return options[i].text;
        }
    }
    return NULL;
}

/* 1: it is one of these; -1: wrong. */
static int read_option(struct wish *wish, const char *name, const char *value, struct tb_err *err)
{
    int64_t now_ms = tb_clock_wall_ms(tb_clock_system());
    struct tb_str *text = text_option(&wish->query, name);
    bool since = strcmp(name, "--since") == 0;
    bool until = strcmp(name, "--until") == 0;
    bool count = strcmp(name, "-n") == 0;
    int rc;
    if (!text && !since && !until && !count) {
        return 0;
    }
    if (!value) {
        return tb_fail(err, TB_E_PARAMS, "option %s needs a value", name);
    }
    if (text) {
        *text = tb_str_of(value);
        rc = text == &wish->query.type ? tb_audit_check_type(*text, err) : 0;
    } else if (count) {
        rc = read_count(wish, value, err);
    } else {
        rc = tb_time_arg(value, now_ms,
                         since ? &wish->query.since_wall_ms : &wish->query.until_wall_ms, err);
    }
    return rc < 0 ? rc : 1;
}

static int take(struct tb_wish *base, int argc, char **argv, int *at, struct tb_err *err)
{
    struct wish *wish = TB_CONTAINER(base, struct wish, base);
    const struct verb *verb = &verbs[base->verb];
    if (verb->run == run_tail && strcmp(argv[*at], "-f") == 0) {
        wish->follow = true;
        return 1;
    }
    const char *value = *at + 1 < argc ? argv[*at + 1] : NULL;
    int rc = read_option(wish, argv[*at], value, err);
    if (rc != 0 && !verb->searches) {
        return tb_fail(err, TB_E_PARAMS, "%s has no option %s", names[base->verb], argv[*at]);
    }
    *at += rc > 0;
    return rc;
}

static int work(struct tb_wish *base, const struct tb_config *config, struct tb_err *err)
{
    const struct wish *wish = TB_CONTAINER(base, struct wish, base);
    struct tb_audit_log log;
    int code = tb_audit_open(config->state_dir, &log, err);
    if (code == 0) {
        code = verbs[base->verb].run(wish, &log);
        tb_audit_close(&log);
    }
    return code;
}

static const char *const own[] = {"--json", "--session", "--tenant", "--tool", "--type",
                                  "--text", "--since",   "--until",  NULL};

static int run(int argc, char **argv)
{
    static const struct tb_verbs all = {
        .command = "audit", .names = names, .own = own, .take = take, .work = work, .local = true};
    struct wish wish = {.follow = false};
    return tb_verbs_run(&all, argc, argv, &wish.base);
}

static void more_help(void)
{
    static const char *const only[] = {"--state-dir", NULL};
    puts("  tail            The newest entries, oldest first; -n N sets how many (20); -f waits "
         "for more.\n"
         "  search          The newest matching entries, newest first; -n N sets how many at most "
         "(1000).\n"
         "  verify          Check that the log is intact; if it is not, say where and exit with "
         "code 1.\n"
         "  export          All matching entries, oldest first, as JSON lines with their hashes.\n"
         "\n"
         "While a daemon runs, the entries of the last second may not be here yet.\n"
         "\n"
         "  --session NAME, --tenant NAME, --tool NAME, --type TYPE\n"
         "  --text TEXT     Text anywhere in the entry; case does not matter.\n"
         "  --since TIME    2026-01-31, 2026-01-31T12:00:00Z, or 90m, 24h, 7d for that long ago.\n"
         "  --until TIME\n"
         "  --json          JSON lines instead of a table.");
    tb_options_help(only);
}

const struct tb_command tb_cmd_audit = {
    .name = "audit",
    .arguments = "tail | search | verify | export [OPTION]...",
    .summary = "Look at the log of what agents did, and check that nobody changed it.",
    .run = run,
    .more_help = more_help,
    .options = own,
    .verbs = names,
};
