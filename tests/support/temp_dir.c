/* SPDX-License-Identifier: Apache-2.0 */
#include "support/temp_dir.h"

#include <stdlib.h>

#include "base/mem.h"
#include "driver/profile.h"

int temp_dir_make(void **state)
{
    *state = mkdtemp(tb_strdup("/tmp/tabard-test-XXXXXX"));
    return *state ? 0 : -1;
}

int temp_dir_remove(void **state)
{
    tb_profile_remove(*state);
    tb_free(*state);
    return 0;
}
