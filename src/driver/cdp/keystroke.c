/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/keystroke.h"

#include <assert.h>

enum {
    EVENT_MAX = 512,
};

static void send(struct tb_opwork *work, const struct tb_key *key, bool down, bool ask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(EVENT_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_key_event(key, down, &json);
    if (ask) {
        tb_opwork_send(work, "Input.dispatchKeyEvent", tb_buf_str(&params));
    } else {
        tb_opwork_post(work, "Input.dispatchKeyEvent", tb_buf_str(&params));
    }
}

static const enum tb_key_modifier order[] = {TB_KEY_CONTROL, TB_KEY_ALT, TB_KEY_META, TB_KEY_SHIFT};

static size_t lowest_held(unsigned modifiers)
{
    size_t i = 0;
    while (i < TB_COUNT(order) && !(modifiers & order[i])) {
        i++;
    }
    return i;
}

void tb_keystroke(struct tb_opwork *work, const struct tb_key *key)
{
    unsigned held = 0;
    struct tb_key modifier;
    for (size_t i = 0; i < TB_COUNT(order); i++) {
        if (key->modifiers & order[i]) {
            held |= order[i];
            tb_key_of_modifier(order[i], &modifier);
            modifier.modifiers = held;
            send(work, &modifier, true, false);
        }
    }
    send(work, key, true, false);
    send(work, key, false, !held);
    size_t last = lowest_held(held);
    for (size_t i = TB_COUNT(order); i-- > 0;) {
        if (key->modifiers & order[i]) {
            held &= ~(unsigned)order[i];
            tb_key_of_modifier(order[i], &modifier);
            modifier.modifiers = held;
            send(work, &modifier, false, i == last);
        }
    }
}

void tb_keystroke_named(struct tb_opwork *work, const char *chord)
{
    struct tb_key key;
    int rc = tb_key_parse(tb_str_of(chord), &key, NULL);
    assert(rc == 0);
    (void)rc;
    tb_keystroke(work, &key);
}
