/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/port_owner.h"

#include <stdio.h>

enum {
    STATE_LISTEN = 0x0a, /* TCP_LISTEN, as the table has it */
};

/* "0: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 ..." */
static bool read_row(const char *row, uint16_t port, uid_t *ret_uid)
{
    unsigned seen_port;
    unsigned state;
    unsigned uid;
    if (sscanf(row, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %u",
               &seen_port, &state, &uid) != 3 ||
        seen_port != port || state != STATE_LISTEN) {
        return false;
    }
    *ret_uid = uid;
    return true;
}

static bool look_into(const char *table, uint16_t port, uid_t *ret_uid)
{
    char row[512];
    bool found = false;
    FILE *file = fopen(table, "re");
    while (file && !found && fgets(row, sizeof(row), file)) {
        found = read_row(row, port, ret_uid);
    }
    if (file) {
        fclose(file);
    }
    return found;
}

bool tb_port_owner(uint16_t port, uid_t *ret_uid)
{
    return look_into("/proc/net/tcp", port, ret_uid) || look_into("/proc/net/tcp6", port, ret_uid);
}
