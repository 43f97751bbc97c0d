/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sodium.h>

#include "base/mem.h"

enum {
    SLOTS_MAX = 64, /* in a block, a bit each */
};

/* Slots of one size, in a page, or a single larger one. */
struct tb_vault_block {
    struct tb_vault_block *next;
    char *bytes;
    size_t size; /* without the pages around it */
    size_t slot;
    uint64_t used;
};

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Powers of two up to a page, then whole pages. */
static size_t slot_for(size_t size)
{
    size_t page = page_bytes();
    size_t slot = page / SLOTS_MAX;
    while (slot < size && slot < page) {
        slot *= 2;
    }
    return size <= slot ? slot : (size + page - 1) / page * page;
}

static uint64_t all_of(const struct tb_vault_block *block)
{
    size_t count = block->size / block->slot;
    return count >= SLOTS_MAX ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static void note_failure(struct tb_vault *vault)
{
    bool first = !vault->failure;
    vault->failure = first ? -errno : vault->failure;
    if (first && vault->unlocked) {
        vault->unlocked(vault);
    }
}

static struct tb_vault_block *block_new(struct tb_vault *vault, size_t slot)
{
    size_t page = page_bytes();
    struct tb_vault_block *block = TB_NEW(struct tb_vault_block);
    block->slot = slot;
    block->size = slot > page ? slot : page;
    char *all = mmap(NULL, block->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, block->size, PROT_READ | PROT_WRITE) < 0) {
        abort(); /* as in base/mem.h */
    }
    block->bytes = all + page;
    /* Not mlock, which sanitizers leave undone. */
    if (madvise(block->bytes, block->size, MADV_DONTDUMP) < 0 ||
        mlock2(block->bytes, block->size, 0) < 0) {
        note_failure(vault);
    }
    block->next = vault->blocks;
    vault->blocks = block;
    return block;
}

static void block_free(struct tb_vault_block *block)
{
    size_t page = page_bytes();
    munmap(block->bytes - page, block->size + 2 * page);
    tb_free(block);
}

void *tb_vault_take(struct tb_vault *vault, size_t size)
{
    size_t slot = slot_for(size);
    struct tb_vault_block *block = vault->blocks;
    while (block && (block->slot != slot || block->used == all_of(block))) {
        block = block->next;
    }
    block = block ? block : block_new(vault, slot);
    size_t at = (size_t)__builtin_ctzll(~block->used);
    block->used |= UINT64_C(1) << at;
    return block->bytes + at * slot;
}

void tb_vault_give_back(struct tb_vault *vault, void *ptr)
{
    struct tb_vault_block **link = &vault->blocks;
    const char *bytes = ptr;
    if (!ptr) {
        return;
    }
    while (*link && !(bytes >= (*link)->bytes && bytes < (*link)->bytes + (*link)->size)) {
        link = &(*link)->next;
    }
    struct tb_vault_block *block = *link;
    if (!block) {
        abort(); /* it is not of this vault */
    }
    sodium_memzero(ptr, block->slot);
    block->used &= ~(UINT64_C(1) << ((size_t)(bytes - block->bytes) / block->slot));
    if (!block->used) {
        *link = block->next;
        block_free(block);
    }
}
