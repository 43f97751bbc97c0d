/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/options.h"
#include "core/limits.h"

static const char *const health_names[] = {"ok", "warn", "bad"};

static void print_table(const struct tb_finding *findings)
{
    for (size_t i = 0; i < TB_DOCTOR_CHECKS; i++) {
        printf("%-5s %-18s %s\n", health_names[findings[i].health], findings[i].name,
               findings[i].seen);
        if (findings[i].mend[0]) {
            printf("%-5s %-18s -> %s\n", "", "", findings[i].mend);
        }
    }
}

static void print_json(const struct tb_finding *findings)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    for (size_t i = 0; i < TB_DOCTOR_CHECKS; i++) {
        tb_json_object_open(&json);
        tb_json_member_cstr(&json, "check", findings[i].name);
        tb_json_member_cstr(&json, "health", health_names[findings[i].health]);
        tb_json_member_cstr(&json, "seen", findings[i].seen);
        tb_json_member_cstr(&json, "mend", findings[i].mend);
        tb_json_object_close(&json);
    }
    tb_json_array_close(&json);
    printf("%.*s\n", (int)text.len, (const char *)text.data);
}

static const char *const own[] = {"--json", NULL};

static int run(int argc, char **argv)
{
    struct tb_options options;
    struct tb_finding findings[TB_DOCTOR_CHECKS];
    struct tb_err err;
    if (tb_options_parse(&options, argc, argv, own, &err) < 0) {
        fprintf(stderr, "tabard doctor: %s; 'tabard help doctor' lists the options\n", err.text);
        return 2;
    }
    if (tb_doctor_check(&options.sources, findings, &err) < 0) {
        fprintf(stderr, "tabard doctor: %s\n", err.text);
        return 1;
    }
    if (options.json) {
        print_json(findings);
    } else {
        print_table(findings);
    }
    for (size_t i = 0; i < TB_DOCTOR_CHECKS; i++) {
        if (findings[i].health == TB_HEALTH_BAD) {
            return 1;
        }
    }
    return 0;
}

static void more_help(void)
{
    static const char *const only[] = {"--listen", "--agent-listen", "--state-dir", "--runtime-dir",
                                       NULL};
    puts("  --json          JSON instead of a table.");
    tb_options_help(only);
}

const struct tb_command tb_cmd_doctor = {
    .name = "doctor",
    .arguments = "[OPTION]...",
    .summary =
        "Check configuration, browser, sandbox, directories, ports and store, and say how to fix each problem.",
    .run = run,
    .more_help = more_help,
    .options = own,
};
