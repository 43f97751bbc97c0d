/* SPDX-License-Identifier: Apache-2.0 */
/* What `tabard doctor` looks at. A check is one function and one row in doctor.c; it says what it
 * saw and, when something is wrong, which command or setting mends it. */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "daemon/config_load.h"

enum tb_health {
    TB_HEALTH_OK,
    TB_HEALTH_WARN, /* works, with a limit */
    TB_HEALTH_BAD,
};

struct tb_finding {
    const char *name;
    enum tb_health health;
    char seen[256];
    char mend[256]; /* empty when all is well */
};

enum {
    TB_DOCTOR_CHECKS = 9,
};

/* A configuration file that is wrong is a finding, and the other checks go on without it. Fails
 * only if the environment or the options are wrong. */
int tb_doctor_check(const struct tb_config_sources *sources,
                    struct tb_finding ret_findings[TB_DOCTOR_CHECKS], struct tb_err *err);
