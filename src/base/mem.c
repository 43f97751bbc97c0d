/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

static void *must(void *ptr)
{
    if (!ptr) {
        abort();
    }
    return ptr;
}

void *tb_zalloc(size_t size)
{
    return must(calloc(1, size ? size : 1));
}

void *tb_zalloc_array(size_t count, size_t size)
{
    return must(calloc(count ? count : 1, size ? size : 1));
}

void *tb_realloc(void *ptr, size_t size)
{
    return must(realloc(ptr, size ? size : 1));
}

int tb_mem_lock(void *ptr, size_t len)
{
    /* Without leave to lock, they are as safe as all other memory. */
    return sodium_mlock(ptr, len) < 0 ? -errno : 0;
}

void tb_mem_unlock(void *ptr, size_t len)
{
    (void)sodium_munlock(ptr, len);
}

char *tb_strdup(const char *text)
{
    return must(strdup(text));
}

char *tb_memdup(const void *data, size_t len)
{
    if (len == SIZE_MAX) {
        abort();
    }
    char *copy = must(malloc(len + 1));
    if (len) {
        memcpy(copy, data, len);
    }
    copy[len] = '\0';
    return copy;
}

char *tb_strdupf(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    if (len < 0) {
        abort();
    }
    return text;
}

void tb_free(void *ptr)
{
    free(ptr);
}
