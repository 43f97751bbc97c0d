/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/state.h"

#include <string.h>

#include "base/err.h"
#include "base/id.h"
#include "base/mem.h"
#include "core/limits.h"

enum {
    NONCE_BYTES = 16,
    SEALED_MAX = 64 * TB_KIB,
};

/* What stands before the plain text. */
struct head {
    int64_t until_ms;
    uint8_t nonce[NONCE_BYTES];
};

struct used {
    struct tb_list link;
    int64_t until_ms;
    uint8_t nonce[NONCE_BYTES];
};

void tb_mcp_states_init(struct tb_mcp_states *states)
{
    tb_random_bytes(states->key, sizeof(states->key));
    tb_list_init(&states->used);
    states->used_count = 0;
}

static void forget_oldest(struct tb_mcp_states *states)
{
    struct tb_list *link = tb_list_pop(&states->used);
    if (link) {
        states->used_count--;
        tb_free(TB_CONTAINER(link, struct used, link));
    }
}

void tb_mcp_states_fini(struct tb_mcp_states *states)
{
    while (states->used_count) {
        forget_oldest(states);
    }
}

int tb_mcp_state_seal(struct tb_mcp_states *states, int64_t now_ms, struct tb_str bound,
                      struct tb_str plain, struct tb_buf *out)
{
    struct head head = {.until_ms = now_ms + TB_MCP_STATE_MS};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SEALED_MAX);
    tb_random_bytes(head.nonce, sizeof(head.nonce));
    int rc = tb_buf_append(&text, &head, sizeof(head));
    if (rc == 0) {
        rc = tb_buf_append_str(&text, plain);
    }
    return rc < 0 ? rc : tb_seal(states->key, bound, tb_buf_str(&text), out);
}

static bool was_used(const struct tb_mcp_states *states, const struct head *head)
{
    LIST_FOREACH(link, &states->used) {
        const struct used *used = TB_CONTAINER(link, struct used, link);
        if (memcmp(used->nonce, head->nonce, NONCE_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/* All states live equally long, but they are not used in the order in which they were made: the
 * list may hold some that have run out behind one that has not, until the ceiling takes them. */
static void note_used(struct tb_mcp_states *states, const struct head *head, int64_t now_ms)
{
    while (states->used_count &&
           (states->used_count >= TB_MCP_STATES ||
            TB_CONTAINER(states->used.next, struct used, link)->until_ms < now_ms)) {
        forget_oldest(states);
    }
    struct used *used = TB_NEW(struct used);
    used->until_ms = head->until_ms;
    memcpy(used->nonce, head->nonce, NONCE_BYTES);
    tb_list_append(&states->used, &used->link);
    states->used_count++;
}

int tb_mcp_state_open(struct tb_mcp_states *states, int64_t now_ms, struct tb_str bound,
                      struct tb_str sealed, struct tb_buf *out)
{
    struct head head;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SEALED_MAX);
    if (sealed.len > SEALED_MAX || tb_seal_open(states->key, bound, sealed, &text) < 0 ||
        text.len < sizeof(head)) {
        return TB_E_INVALID;
    }
    memcpy(&head, text.data, sizeof(head));
    if (head.until_ms < now_ms || was_used(states, &head)) {
        return TB_E_INVALID;
    }
    int rc = tb_buf_append_str(out, tb_str_sub(tb_buf_str(&text), sizeof(head), text.len));
    if (rc == 0) {
        note_used(states, &head, now_ms);
    }
    return rc;
}
