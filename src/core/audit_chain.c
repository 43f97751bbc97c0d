/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit_chain.h"

#include <endian.h>

#include "base/mem.h"

/* Numbers are hashed in one byte order, so that a file may move to another machine. */
static struct tb_str bytes_of(const uint64_t *number)
{
    return (struct tb_str){(const char *)number, sizeof(*number)};
}

static struct tb_str hash_of(const uint8_t hash[TB_HASH_BYTES])
{
    return (struct tb_str){(const char *)hash, TB_HASH_BYTES};
}

void tb_audit_link(const uint8_t secret[TB_SECRET_BYTES], const uint8_t before[TB_HASH_BYTES],
                   const struct tb_audit_entry *entry, uint8_t ret_hash[TB_HASH_BYTES])
{
    const uint64_t seq = htole64((uint64_t)entry->seq);
    const uint64_t wall_ms = htole64((uint64_t)entry->wall_ms);
    /* The first part keeps these hashes apart from all others that the secret makes. */
    const struct tb_str parts[] = {
        TB_STR("audit entry"), hash_of(before), bytes_of(&seq), bytes_of(&wall_ms),
        entry->type,           entry->tenant,   entry->session, entry->agent,
        entry->tool,           entry->outcome,  entry->details,
    };
    tb_hash_keyed(secret, parts, TB_COUNT(parts), ret_hash);
}

void tb_audit_seal(const uint8_t secret[TB_SECRET_BYTES], const char *what, int64_t seq,
                   const uint8_t hash[TB_HASH_BYTES], uint8_t ret_seal[TB_HASH_BYTES])
{
    const uint64_t number = htole64((uint64_t)seq);
    const struct tb_str parts[] = {
        TB_STR("audit seal"),
        tb_str_of(what),
        bytes_of(&number),
        hash_of(hash),
    };
    tb_hash_keyed(secret, parts, TB_COUNT(parts), ret_seal);
}
