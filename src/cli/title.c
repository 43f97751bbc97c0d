/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/title.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* Linux shows the memory of the arguments. The variables lie right behind them, and a title that
 * runs over into those is shown too, up to its zero. The rest of them stays for whoever looks. */
void tb_title_set(struct tb_str title)
{
    char *start = program_invocation_name;
    char *variables = environ ? environ[0] : NULL;
    char *end = variables;
    if (!variables || variables <= start) {
        return; /* somebody moved the variables already */
    }
    for (char **variable = environ; *variable; variable++) {
        if (*variable == end) {
            end += strlen(end) + 1;
        }
        *variable = tb_strdup(*variable);
    }
    program_invocation_name = tb_strdup(start);
    memset(start, 0, (size_t)(variables - start));
    snprintf(start, (size_t)(end - start), "%.*s", TB_STR_ARG(title));
}
