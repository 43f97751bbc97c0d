/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts of page/, joined in the order of page/files.txt by tools/embed.sh at build time. */
#pragma once

#include <stddef.h>

extern const char tb_page_script[];
extern const size_t tb_page_script_len;
