/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mask.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vault.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/result.h"
#include "core/spellings.h"

enum {
    HEAD = 16,        /* so many bytes of a spelling are enough */
    PASSING_KEPT = 4, /* codes of one label */
    LISTS_BITS = 12,
};

/* One secret. Its spellings lie behind each other in `bytes`, which is locked. */
struct secret {
    struct tb_list link; /* the longest first: one may begin with another */
    char *label;
    bool passing;
    size_t len; /* of the plain one */
    char *bytes;
    size_t size;
    struct tb_str spellings[TB_SPELLINGS_MAX];
    size_t count;
};

struct tb_mask {
    unsigned refs;
    struct tb_vault *vault;
    struct tb_list secrets;
    struct cJSON
        *missing; /* an object: its members are labels whose values are not here; NULL: none */
};

static struct secret *secret_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct secret, link);
}

static void secret_free(struct tb_vault *vault, struct secret *secret)
{
    tb_list_remove(&secret->link);
    tb_vault_give_back(vault, secret->bytes);
    tb_free(secret->label);
    tb_free(secret);
}

struct tb_mask *tb_mask_new(struct tb_vault *vault)
{
    struct tb_mask *mask = TB_NEW(struct tb_mask);
    mask->vault = vault;
    mask->refs = 1;
    tb_list_init(&mask->secrets);
    return mask;
}

struct tb_mask *tb_mask_ref(struct tb_mask *mask, const char *why)
{
    (void)why;
    if (mask) {
        mask->refs++;
    }
    return mask;
}

void tb_mask_unref(struct tb_mask *mask, const char *why)
{
    (void)why;
    if (!mask || --mask->refs) {
        return;
    }
    while (!tb_list_empty(&mask->secrets)) {
        secret_free(mask->vault, secret_of(mask->secrets.next));
    }
    tb_json_free(mask->missing);
    tb_free(mask);
}

/* Moves what was spelt into locked memory. */
static struct secret *secret_new(struct tb_vault *vault, const char *label, struct tb_str value,
                                 bool passing)
{
    struct tb_spellings all;
    struct secret *secret = TB_NEW(struct secret);
    tb_spellings_init(&all, value);
    secret->label = tb_strdup(label);
    secret->passing = passing;
    secret->len = value.len;
    secret->size = all.bytes.len;
    secret->bytes = tb_vault_take(vault, secret->size);
    memcpy(secret->bytes, all.bytes.data, all.bytes.len);
    secret->count = all.count;
    char *at = secret->bytes;
    for (size_t i = 0; i < all.count; i++) {
        secret->spellings[i] = (struct tb_str){at, tb_spellings_at(&all, i).len};
        at += secret->spellings[i].len;
    }
    tb_spellings_fini(&all);
    return secret;
}

static bool is_known(const struct tb_mask *mask, const char *label, struct tb_str value)
{
    LIST_FOREACH(link, &mask->secrets) {
        const struct secret *secret = secret_of(link);
        if (strcmp(secret->label, label) == 0 && secret->count &&
            tb_str_eq(secret->spellings[0], value)) {
            return true;
        }
    }
    return false;
}

/* Codes of equal length stand in the order in which they came. */
static void forget_passed(struct tb_mask *mask, const char *label)
{
    size_t count = 0;
    struct secret *oldest = NULL;
    LIST_FOREACH(link, &mask->secrets) {
        struct secret *secret = secret_of(link);
        if (secret->passing && strcmp(secret->label, label) == 0) {
            oldest = oldest ? oldest : secret;
            count++;
        }
    }
    if (count > PASSING_KEPT) {
        secret_free(mask->vault, oldest);
    }
}

void tb_mask_add(struct tb_mask *mask, const char *label, struct tb_str value, bool passing)
{
    if (value.len < TB_SPELLING_MIN || is_known(mask, label, value)) {
        return;
    }
    struct secret *secret = secret_new(mask->vault, label, value, passing);
    struct tb_list *place = mask->secrets.next;
    while (place != &mask->secrets && secret_of(place)->len >= secret->len) {
        place = place->next;
    }
    tb_list_append(place, &secret->link); /* in front of it */
    forget_passed(mask, label);
}

/* Those whose values are not here: members of an object, for their names. */

void tb_mask_expect(struct tb_mask *mask, const char *label)
{
    if (!mask->missing) {
        mask->missing = tb_json_new_object();
    }
    tb_json_set_bool(mask->missing, label, true);
}

const char *tb_mask_missing(const struct tb_mask *mask)
{
    const struct cJSON *first = mask ? tb_json_first(mask->missing) : NULL;
    return first ? tb_json_name(first) : NULL;
}

void tb_mask_forget(struct tb_mask *mask, const char *label)
{
    tb_json_remove(mask->missing, label);
}

static void add_labels(const struct tb_mask *mask, struct cJSON *labels)
{
    JSON_ARRAY_FOREACH(item, mask->missing) {
        tb_json_set_bool(labels, tb_json_name(item), true);
    }
    LIST_FOREACH(link, &mask->secrets) {
        if (!secret_of(link)->passing) {
            tb_json_set_bool(labels, secret_of(link)->label, true);
        }
    }
}

size_t tb_mask_labels(const struct tb_mask *mask, struct tb_json_writer *json)
{
    TB_AUTO(tb_json_free) struct cJSON *labels = tb_json_new_object(); /* each once */
    size_t count = 0;
    if (mask) {
        add_labels(mask, labels);
    }
    tb_json_array_open(json);
    JSON_ARRAY_FOREACH(item, labels) {
        tb_json_put_cstr(json, tb_json_name(item));
        count++;
    }
    tb_json_array_close(json);
    return count;
}

/* Masking: one walk through the text, whatever the number of spellings. The next four bytes, in
 * lower case, say in which list those are that may begin here. */

static uint8_t lower(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static uint32_t add_to_key(uint32_t key, char c)
{
    return key << 8 | lower(c);
}

static size_t list_of(uint32_t key)
{
    return key * 2654435761U >> (32 - LISTS_BITS);
}

static uint32_t key_of(struct tb_str text)
{
    uint32_t key = 0;
    for (size_t i = 0; i < TB_SPELLING_MIN; i++) {
        key = add_to_key(key, text.ptr[i]);
    }
    return key;
}

struct needle {
    const char *label;
    struct tb_str spelling;
    unsigned next; /* of its list, from 1 on; 0: the last */
};

struct needles {
    struct needle *all;
    size_t count;
    unsigned first[1U << LISTS_BITS];
};

/* From the last to the first, so that each list has the longest secrets first. */
static void collect(const struct tb_mask *mask, struct needles *needles)
{
    for (struct tb_list *link = mask->secrets.prev; link != &mask->secrets; link = link->prev) {
        const struct secret *secret = secret_of(link);
        needles->all =
            tb_realloc(needles->all, (needles->count + secret->count) * sizeof(*needles->all));
        for (size_t i = secret->count; i-- > 0;) {
            unsigned *first = &needles->first[list_of(key_of(secret->spellings[i]))];
            needles->all[needles->count++] =
                (struct needle){secret->label, secret->spellings[i], *first};
            *first = (unsigned)needles->count;
        }
    }
}

/* How much of the text is as it is spelt, whatever its case; the first `known` bytes are. */
static size_t common_len(struct tb_str text, struct tb_str spelling, size_t known)
{
    size_t len = known;
    while (len < text.len && len < spelling.len &&
           lower(text.ptr[len]) == lower(spelling.ptr[len])) {
        len++;
    }
    return len;
}

/* How far what begins here goes; 0: nothing does. The text is hidden up to `hidden` already, so
 * what lies between the beginning of a spelling and there is not looked at again: no text takes
 * longer than its length. */
static size_t match(const struct needles *needles, uint32_t key, struct tb_str text, size_t hidden,
                    const char **ret_label)
{
    size_t longest = 0;
    for (unsigned at = needles->first[list_of(key)]; at; at = needles->all[at - 1].next) {
        const struct needle *one = &needles->all[at - 1];
        size_t enough = one->spelling.len < HEAD ? one->spelling.len : HEAD;
        size_t len = common_len(tb_str_sub(text, 0, enough), one->spelling, 0);
        if (len == enough) {
            len = common_len(text, one->spelling, len < hidden ? hidden : len);
            len = len < one->spelling.len ? len : one->spelling.len;
            *ret_label = len > longest ? one->label : *ret_label;
            longest = len > longest ? len : longest;
        }
    }
    return longest;
}

static bool mask_with(const struct needles *needles, struct tb_str text, struct tb_buf *out)
{
    size_t end = 0; /* of what is hidden last */
    uint32_t key = key_of(text);
    for (size_t i = 0; i + TB_SPELLING_MIN <= text.len; i++) {
        const char *label = NULL;
        size_t len = 0;
        if (needles->first[list_of(key)]) {
            len = match(needles, key, tb_str_sub(text, i, text.len), end > i ? end - i : 0, &label);
        }
        if (len && i >= end) {
            tb_buf_append_str(out, tb_str_sub(text, end, i));
            tb_buf_append_cstr(out, label);
        }
        end = i + len > end && len ? i + len : end;
        if (i + TB_SPELLING_MIN < text.len) {
            key = add_to_key(key, text.ptr[i + TB_SPELLING_MIN]);
        }
    }
    if (end) {
        tb_buf_append_str(out, tb_str_sub(text, end, text.len));
    }
    return end > 0;
}

bool tb_mask_text(const struct tb_mask *mask, struct tb_str text, struct tb_buf *out)
{
    if (!mask || text.len < TB_SPELLING_MIN || tb_list_empty(&mask->secrets)) {
        return false;
    }
    struct needles needles = {.all = NULL};
    collect(mask, &needles);
    bool masked = mask_with(&needles, text, out);
    tb_free(needles.all);
    return masked;
}

static void mask_buf(const struct tb_mask *mask, struct tb_buf *buf)
{
    struct tb_buf masked = TB_BUF(SIZE_MAX); /* labels may make it longer than it could be */
    if (tb_mask_text(mask, tb_buf_str(buf), &masked)) {
        size_t max = buf->max;
        tb_buf_wipe(buf);
        *buf = masked;
        buf->max = masked.len > max ? masked.len : max;
    }
}

static void mask_message(const struct tb_mask *mask, struct tb_result *result)
{
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    if (tb_mask_text(mask, tb_str_of(result->message), &masked)) {
        snprintf(result->message, sizeof(result->message), "%.*s", TB_STR_ARG(tb_buf_str(&masked)));
        result->message[tb_utf8_prefix(tb_str_of(result->message))] = '\0';
    }
}

static void put_masked(const struct tb_mask *mask, struct tb_str text, struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    tb_json_put_str(json, tb_mask_text(mask, text, &masked) ? tb_buf_str(&masked) : text);
}

/* What is no text is JSON's own: a number that is a secret becomes a text, true and null stay. */
static void put_plain(const struct tb_mask *mask, const struct cJSON *item,
                      struct tb_json_writer *json)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf plain = TB_BUF(TB_KIB);
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    double number;
    tb_json_print(item, &plain);
    if (tb_json_num(item, &number) && tb_mask_text(mask, tb_buf_str(&plain), &masked)) {
        tb_json_put_str(json, tb_buf_str(&masked));
    } else {
        tb_json_put_raw(json, tb_buf_str(&plain));
    }
}

static void put_tree(const struct tb_mask *mask, const struct cJSON *item,
                     struct tb_json_writer *json);

static void put_members(const struct tb_mask *mask, const struct cJSON *object,
                        struct tb_json_writer *json)
{
    tb_json_object_open(json);
    JSON_ARRAY_FOREACH(item, object) {
        TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(SIZE_MAX);
        if (tb_mask_text(mask, tb_str_of(tb_json_name(item)), &name)) {
            tb_buf_append_char(&name, '\0');
        }
        tb_json_key(json, name.len ? (const char *)name.data : tb_json_name(item));
        put_tree(mask, item, json);
    }
    tb_json_object_close(json);
}

static void put_tree(const struct tb_mask *mask, const struct cJSON *item,
                     struct tb_json_writer *json)
{
    struct tb_str text;
    if (tb_json_is_object(item)) {
        put_members(mask, item, json);
    } else if (tb_json_is_array(item)) {
        tb_json_array_open(json);
        JSON_ARRAY_FOREACH(inner, item) {
            put_tree(mask, inner, json);
        }
        tb_json_array_close(json);
    } else if (tb_json_str(item, &text)) {
        put_masked(mask, text, json);
    } else {
        put_plain(mask, item, json);
    }
}

/* The same tree without secrets in its texts, its numbers and the names of its members: what is
 * masked as one text may be JSON no more. */
static void mask_tree(const struct tb_mask *mask, const struct cJSON *tree, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    put_tree(mask, tree, &json);
}

static void mask_data(const struct tb_mask *mask, struct tb_result *result)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf json = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    if (tb_json_print(result->data, &json) < 0 || !tb_mask_text(mask, tb_buf_str(&json), &masked)) {
        return;
    }
    tb_buf_clear(&masked);
    mask_tree(mask, result->data, &masked);
    struct cJSON *data = tb_json_parse(tb_buf_str(&masked));
    tb_json_free(result->data);
    result->data = data ? data : tb_json_new_object();
}

/* It goes into a message as it is, so it stays JSON. */
static void mask_raw(const struct tb_mask *mask, struct tb_result *result)
{
    TB_AUTO(tb_json_free) struct cJSON *before = NULL;
    TB_AUTO(tb_json_free) struct cJSON *after = NULL;
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    if (!tb_mask_text(mask, tb_buf_str(&result->raw), &masked)) {
        return;
    }
    after = tb_json_parse(tb_buf_str(&masked));
    if (!after) {
        before = tb_json_parse(tb_buf_str(&result->raw));
        tb_buf_clear(&masked);
        mask_tree(mask, before, &masked);
    }
    tb_buf_clear(&result->raw);
    result->raw.max = masked.len > result->raw.max ? masked.len : result->raw.max;
    tb_buf_append_str(&result->raw, tb_buf_str(&masked));
}

void tb_mask_result(const struct tb_mask *mask, struct tb_result *result)
{
    if (!mask) {
        return;
    }
    mask_buf(mask, &result->text);
    mask_raw(mask, result);
    mask_message(mask, result);
    mask_data(mask, result);
}

void tb_mask_event(const struct tb_mask *mask, struct tb_event *event, struct tb_buf *words)
{
    size_t lens[TB_EVENT_FIELDS] = {0};
    for (size_t i = 0; i < TB_EVENT_FIELDS; i++) {
        size_t before = words->len;
        if (event->fields[i].kind == TB_FIELD_TEXT &&
            tb_mask_text(mask, event->fields[i].text, words)) {
            lens[i] = words->len - before;
        }
    }
    size_t at = 0;
    for (size_t i = 0; i < TB_EVENT_FIELDS; i++) {
        if (lens[i]) {
            event->fields[i].text = tb_str_sub(tb_buf_str(words), at, at + lens[i]);
            at += lens[i];
        }
    }
}
