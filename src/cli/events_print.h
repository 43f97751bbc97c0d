/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a running daemon on stdout, as they happen: a line each. */
#pragma once

#include "cli/verbs.h"

/* Which; each may be NULL. */
struct tb_events_wish {
    const char *type;
    const char *session;
    const char *kind;
    const char *tenant;
};

/* Until the daemon ends, which is a failure, or nothing can be written any more. */
int tb_events_print(const struct tb_wish *base, const struct tb_config *config,
                    const struct tb_events_wish *wish, struct tb_err *err);
