/* SPDX-License-Identifier: Apache-2.0 */
#include "support/heap.h"

#include <string.h>

#include <dlfcn.h>
#include <malloc.h>

size_t heap_bytes(void)
{
    size_t (*sanitizer)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes");
    memcpy(&sanitizer, &found, sizeof(found));
    if (sanitizer) {
        return sanitizer();
    }
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
