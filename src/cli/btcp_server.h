/* SPDX-License-Identifier: Apache-2.0 */
/* The program under the name of BTCP's own server, with that one's options: "btcp-server --port
 * 8765" is "tabard serve", "btcp-server --session ID" is "tabard mcp". A word that is no option is
 * a command, the same as of tabard. */
#pragma once

#include <stdbool.h>

/* argv[0] is this name, in whatever directory. */
bool tb_btcp_server_is(const char *program);
/* The arguments as tabard has them, argv[0] and the command first, NULL-ended; the caller frees the
 * array. NULL: it was asked how it is used, and has said so. */
char **tb_btcp_server_arguments(int argc, char **argv, int *ret_argc);
