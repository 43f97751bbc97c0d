/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/exit_code.h"
#include "cli/program.h"
#include "core/limits.h"
#include "tool/tools.h"

static const char bash[] =
    "# tabard's completion for bash: eval \"$(tabard completion bash)\"\n"
    "_tabard() {\n"
    "    local IFS=$'\\n' words cword\n"
    "    # bash takes key=value apart; it is put together again\n"
    "    _tabard_words\n"
    "    COMPREPLY=($(\"${COMP_WORDS[0]}\" completion words -- \"${words[@]}\" 2>/dev/null))\n"
    "    local last=${words[${#words[@]} - 1]}\n"
    "    [[ $last == *=* ]] && COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "}\n"
    "_tabard_words() {\n"
    "    local i joined=''\n"
    "    words=()\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        if [[ ${COMP_WORDS[i]} == '=' ]]; then\n"
    "            words[${#words[@]} - 1]+='='; joined=1\n"
    "        elif [[ $joined ]]; then\n"
    "            words[${#words[@]} - 1]+=${COMP_WORDS[i]}; joined=''\n"
    "        else\n"
    "            words+=(\"${COMP_WORDS[i]}\")\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "complete -o default -F _tabard tabard btcp-server\n";

static const char zsh[] =
    "#compdef tabard btcp-server\n"
    "# tabard's completion for zsh: a file named _tabard in a folder of $fpath\n"
    "_tabard() {\n"
    "    local -a found keys\n"
    "    found=(${(f)\"$($words[1] completion words -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "    keys=(${(M)found:#*=})\n"
    "    found=(${found:#*=})\n"
    "    (( $#keys )) && compadd -S '' -- $keys\n"
    "    (( $#found )) && compadd -- $found\n"
    "    (( $#found + $#keys )) || _files\n"
    "}\n"
    "compdef _tabard tabard btcp-server 2>/dev/null\n";

static const char fish[] =
    "# tabard's completion for fish: tabard completion fish > ~/.config/fish/completions/tabard.fish\n"
    "function __tabard_words\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] completion words -- $words[2..] 2>/dev/null\n"
    "end\n"
    "complete -c tabard -a '(__tabard_words)'\n"
    "complete -c btcp-server -a '(__tabard_words)'\n";

static int print_words(int argc, char **argv)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    const struct tb_complete_tables tables = {tb_program_commands(), &tb_kit};
    int first = argc > 2 && strcmp(argv[2], "--") == 0 ? 3 : 2;
    tb_complete(&tables, (size_t)(argc > first ? argc - first : 0), argv + first, &text);
    printf("%.*s", TB_STR_ARG(tb_buf_str(&text)));
    return TB_EXIT_DONE;
}

static const char *const names[] = {"bash", "zsh", "fish", NULL};

static int run(int argc, char **argv)
{
    static const char *const scripts[] = {bash, zsh, fish};
    const char *shell = argc > 1 ? argv[1] : "";
    if (strcmp(shell, "words") == 0) {
        return print_words(argc, argv);
    }
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], shell) == 0 && argc == 2) {
            fputs(scripts[i], stdout);
            return TB_EXIT_DONE;
        }
    }
    fputs("tabard completion: name one shell: bash, zsh or fish\n", stderr);
    return TB_EXIT_USAGE;
}

static void more_help(void)
{
    puts("  bash            eval \"$(tabard completion bash)\", in ~/.bashrc\n"
         "  zsh             tabard completion zsh > \"${fpath[1]}/_tabard\"\n"
         "  fish            tabard completion fish > ~/.config/fish/completions/tabard.fish\n"
         "\n"
         "It knows commands, options, tools and their arguments.");
}

const struct tb_command tb_cmd_completion = {
    .name = "completion",
    .arguments = "bash | zsh | fish",
    .summary = "Print a script by which a shell completes tabard's command lines.",
    .run = run,
    .more_help = more_help,
    .verbs = names,
};
