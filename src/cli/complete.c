/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/complete.h"

#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/config.h"

struct completion {
    const char *begun; /* the last word */
    struct tb_buf *out;
};

static void offer(const struct completion *completion, const char *word, const char *end)
{
    if (strncmp(word, completion->begun, strlen(completion->begun)) == 0) {
        tb_buf_printf(completion->out, "%s%s\n", word, end);
    }
}

static void offer_all(const struct completion *completion, const char *const *words)
{
    for (; words && *words; words++) {
        offer(completion, *words, "");
    }
}

static const struct tb_command *find(const struct tb_complete_tables *tables, const char *name)
{
    for (const struct tb_command *const *command = tables->commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) {
            return *command;
        }
    }
    return NULL;
}

static void offer_commands(const struct tb_complete_tables *tables,
                           const struct completion *completion)
{
    for (const struct tb_command *const *command = tables->commands; *command; command++) {
        offer(completion, (*command)->name, "");
    }
    offer(completion, "help", "");
}

static void offer_tools(const struct tb_kit *kit, const struct completion *completion)
{
    for (const struct tb_tool *const *tool = kit->tools; *tool; tool++) {
        offer(completion, (*tool)->name, "");
    }
}

/* key=, or behind it one of the words that it takes. */
static void offer_arguments(const struct tb_tool *tool, const struct completion *completion)
{
    struct tb_param rows[TB_TOOL_PARAMS_MAX];
    tb_tool_params(tool, rows);
    for (size_t i = 0; rows[i].name; i++) {
        size_t len = strlen(rows[i].name);
        bool chosen =
            strncmp(completion->begun, rows[i].name, len) == 0 && completion->begun[len] == '=';
        if (!chosen) {
            offer(completion, rows[i].name, "=");
        }
        for (size_t j = 0; chosen && rows[i].choices && rows[i].choices[j]; j++) {
            char word[128];
            snprintf(word, sizeof(word), "%s=%s", rows[i].name, rows[i].choices[j]);
            offer(completion, word, "");
        }
    }
}

static void offer_options(const struct tb_command *command, const struct completion *completion)
{
    size_t count;
    const struct tb_config_key *keys = tb_config_keys(&count);
    offer_all(completion, command->options);
    offer(completion, "--help", "");
    offer(completion, "--config", "");
    for (size_t i = 0; i < count; i++) {
        if (keys[i].flag) {
            offer(completion, keys[i].flag, "");
        }
    }
}

void tb_complete(const struct tb_complete_tables *tables, size_t count, char *const *words,
                 struct tb_buf *out)
{
    const struct completion completion = {count ? words[count - 1] : "", out};
    const struct tb_command *command = count > 1 ? find(tables, words[0]) : NULL;
    bool helps = count > 1 && strcmp(words[0], "help") == 0;
    if (count < 2 || (helps && count == 2)) {
        offer_commands(tables, &completion);
        return;
    }
    command = helps ? find(tables, words[1]) : command;
    if (!command) {
        return;
    }
    size_t first = helps ? 3 : 2; /* the word behind the command */
    const struct tb_tool *tool = command->takes_tool && count > first
                                     ? tb_tool_find(tables->kit, tb_str_of(words[first - 1]))
                                     : NULL;
    if (completion.begun[0] == '-') {
        offer_options(command, &completion);
    } else if (command->takes_tool && count == first) {
        offer_tools(tables->kit, &completion);
    } else if (tool) {
        offer_arguments(tool, &completion);
    } else if (count == first) {
        offer_all(&completion, command->verbs);
    }
}
