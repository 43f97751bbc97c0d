/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a browser can make its sandbox of user namespaces, as the knobs of the kernel have it.
 * Where it cannot, it needs a setuid helper. */
#pragma once

#include <stdbool.h>

bool tb_namespaces_allowed(void);
