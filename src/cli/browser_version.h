/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says when it is asked for its version, to tell a browser from anything else. */
#pragma once

#include <stddef.h>

/* The first line of its output, cut off to fit. Negative, with *ret_text empty, when it prints
 * nothing, fails, or takes longer than ten seconds. */
int tb_browser_version(const char *path, char *ret_text, size_t size);
