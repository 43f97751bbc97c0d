/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/environment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/config_btcp.h"

/* One that ends in _ stands for all names that begin so. */
static const char *const wanted[] = {
    "TABARD_",
    "XDG_",
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    /* Language and time of what pages show. */
    "LANG",
    "LANGUAGE",
    "LC_",
    "TZ",
    /* Browsers with a window. */
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    /* The way to the network. */
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
};

static bool is_wanted(const char *variable)
{
    struct tb_str rest = tb_str_of(variable);
    struct tb_str name = tb_str_cut(&rest, '=');
    if (tb_config_btcp_is_env(name)) {
        return true;
    }
    for (size_t i = 0; i < TB_COUNT(wanted); i++) {
        struct tb_str want = tb_str_of(wanted[i]);
        bool group = want.ptr[want.len - 1] == '_';
        if (group ? tb_str_starts(name, want) : tb_str_eq(name, want)) {
            return true;
        }
    }
    return false;
}

/* The wanted variables move; of the others nothing stays. Gives the end of the block. */
static char *clean_variables(char *end)
{
    char **kept = environ;
    for (char **variable = environ; *variable; variable++) {
        size_t size = strlen(*variable) + 1;
        end += *variable == end ? size : 0;
        if (is_wanted(*variable)) {
            *kept++ = tb_strdup(*variable);
        } else {
            explicit_bzero(*variable, size);
        }
    }
    *kept = NULL;
    return end;
}

/* Linux shows the memory of the arguments. The variables lie right behind them, and a title that
 * runs over into those is shown too, up to its zero. The rest of them stays for whoever looks. */
void tb_environment_clean(struct tb_str title)
{
    char *start = program_invocation_name;
    char *variables = environ ? environ[0] : NULL;
    if (!variables) {
        return;
    }
    char *end = clean_variables(variables);
    if (variables <= start) {
        return; /* somebody moved the variables already: there is no telling where the block ends */
    }
    program_invocation_name = tb_strdup(start);
    memset(start, 0, (size_t)(variables - start));
    snprintf(start, (size_t)(end - start), "%.*s", TB_STR_ARG(title));
}
