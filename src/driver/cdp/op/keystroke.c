/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/keystroke.h"

#include <string.h>

#include "base/utf8.h"

enum {
    EVENT_MAX = 512,
};

static void send(struct tb_cdp_work *work, const struct tb_key *key, bool down, bool ask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(EVENT_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_key_event(key, down, &json);
    if (ask) {
        tb_cdp_work_send(work, "Input.dispatchKeyEvent", tb_buf_str(&params));
    } else {
        tb_cdp_work_post(work, "Input.dispatchKeyEvent", tb_buf_str(&params));
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

static void stroke(struct tb_cdp_work *work, const struct tb_key *key, bool ask)
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
    send(work, key, false, ask && !held);
    size_t last = lowest_held(held);
    for (size_t i = TB_COUNT(order); i-- > 0;) {
        if (key->modifiers & order[i]) {
            held &= ~(unsigned)order[i];
            tb_key_of_modifier(order[i], &modifier);
            modifier.modifiers = held;
            send(work, &modifier, false, ask && i == last);
        }
    }
}

void tb_cdp_keystroke(struct tb_cdp_work *work, const struct tb_key *key)
{
    stroke(work, key, true);
}

/* How many bytes of the text the next key types. */
static size_t next_key(struct tb_str text, struct tb_key *ret_key)
{
    static const struct {
        const char *text;
        const char *key;
    } named[] = {{"\r\n", "Enter"}, {"\n", "Enter"}, {"\r", "Enter"}, {"\t", "Tab"}};
    for (size_t i = 0; i < TB_COUNT(named); i++) {
        if (tb_str_starts(text, tb_str_of(named[i].text))) {
            tb_key_parse(tb_str_of(named[i].key), ret_key, NULL);
            return strlen(named[i].text);
        }
    }
    size_t len = tb_utf8_char(text);
    len = len ? len : 1;
    if (tb_key_parse(tb_str_sub(text, 0, len), ret_key, NULL) < 0) {
        *ret_key = (struct tb_key){.number = 0}; /* a control character, which no key types */
    }
    return len;
}

size_t tb_cdp_keystroke_next(struct tb_cdp_work *work, struct tb_str text)
{
    struct tb_key key;
    size_t len = next_key(text, &key);
    stroke(work, &key, true);
    return len;
}

size_t tb_cdp_keystroke_len(struct tb_str text)
{
    struct tb_key key;
    return next_key(text, &key);
}

int64_t tb_cdp_keystroke_count(struct tb_str text)
{
    int64_t count = 0;
    for (; text.len; count++) {
        text = tb_str_sub(text, tb_cdp_keystroke_len(text), text.len);
    }
    return count;
}

void tb_cdp_keystroke_text(struct tb_cdp_work *work, struct tb_str text)
{
    while (text.len) {
        struct tb_key key;
        size_t len = next_key(text, &key);
        stroke(work, &key, len == text.len);
        text = tb_str_sub(text, len, text.len);
    }
}
