/* SPDX-License-Identifier: Apache-2.0 */
/* Memory whose size we choose: these functions return memory or end the process, so no caller has
 * an error path for it. Sizes that a peer chooses go through base/buf.h, which has a ceiling.
 *
 * Owning locals: TB_AUTO(tb_x_free) struct tb_x *x = NULL; needs TB_DEFINE_AUTO in x's header. */
#pragma once

#include <stddef.h>

/* Zeroed memory, never NULL. */
void *tb_zalloc(size_t size);
/* Zeroed array of count elements; a product that overflows ends the process. */
void *tb_zalloc_array(size_t count, size_t size);
/* As realloc, never NULL for size > 0. New bytes are not zeroed. */
void *tb_realloc(void *ptr, size_t size);
/* Copies; the caller frees. tb_memdup adds a NUL after the copy. */
char *tb_strdup(const char *text);
char *tb_memdup(const void *data, size_t len);
/* printf into fresh memory; the caller frees. */
char *tb_strdupf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For keys that stay where they are until the end: their pages are never swapped out, nor part of a
 * core dump; a negative errno where the system does not grant it. tb_mem_unlock wipes them, and
 * unlocks whole pages: what comes and goes is for base/vault.h. */
int tb_mem_lock(void *ptr, size_t len);
void tb_mem_unlock(void *ptr, size_t len);

#define TB_NEW(type)              ((type *)tb_zalloc(sizeof(type)))
#define TB_NEW_ARRAY(type, count) ((type *)tb_zalloc_array((count), sizeof(type)))

/* The object that holds a member, from a pointer to the member. */
#define TB_CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define TB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TB_AUTO(destroy) __attribute__((cleanup(destroy##_auto)))
#define TB_DEFINE_AUTO(type, destroy)            \
    static inline void destroy##_auto(type *ptr) \
    {                                            \
        destroy(*ptr);                           \
    }

void tb_free(void *ptr);
static inline void tb_free_auto(void *ptr_to_ptr)
{
    tb_free(*(void **)ptr_to_ptr);
}
