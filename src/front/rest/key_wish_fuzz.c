/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a wish for a key, from anybody who may administer a tenant. What is read of it stays
 * within its bounds, and what is not read leaves nothing behind. */
#include <stddef.h>
#include <stdlib.h>

#include "core/key_record.h"
#include "core/limits.h"
#include "core/policy.h"
#include "front/rest/key_wish.h"

#define NOW_MS INT64_C(1700000000000)

static void check(int holds)
{
    if (!holds) {
        abort();
    }
}

/* A record of the store is read by the same kind of code, and may be damaged. */
static void read_record(struct tb_str text)
{
    struct tb_key_record record;
    struct tb_key_record again;
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf printed = TB_BUF(TB_RECORD_LIGHT_MAX);
    if (tb_key_record_parse(text, &record, &err) < 0) {
        return;
    }
    tb_key_record_print(&record, &printed);
    check(tb_key_record_parse(tb_buf_str(&printed), &again, &err) == 0);
    check(again.scopes == record.scopes && again.expires_ms == record.expires_ms);
    check(tb_hash_eq(again.hash, record.hash));
    check(tb_policy_is_same(again.policy, record.policy));
    tb_key_record_fini(&record);
    tb_key_record_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str body = {(const char *)data, size};
    TB_AUTO(tb_key_wish_fini) struct tb_key_wish wish = {0};
    struct tb_err err = {0};
    tb_key_wish_init(&wish, "own", NOW_MS);
    if (tb_key_wish_read(&wish, body, &err) < 0) {
        check(err.code < 0 && err.text[0]);
    } else {
        check((wish.spec.scopes & ~(unsigned)TB_KEY_SCOPES) == 0);
        check(!wish.spec.expires_ms || wish.spec.expires_ms > NOW_MS);
        check(wish.spec.quota.calls_per_minute >= 0 && wish.spec.quota.sessions_max >= 0);
        check(wish.spec.tenant.len <= TB_KEY_WISH_TEXT_MAX);
    }
    read_record(body);
    return 0;
}
