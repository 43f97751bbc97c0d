/* SPDX-License-Identifier: Apache-2.0 */
/* Apart from the rig, which fuzz targets have, too: this needs cmocka. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Fails the test unless `part` is in `text`. */
static inline void mcp_expect(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in '%s'", part, text);
    }
}
