/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mask.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/event.h"
#include "core/result.h"
#include "core/spellings.h"

enum {
    HEAD = 16,        /* so many bytes of a spelling are enough */
    PASSING_KEPT = 4, /* codes of one label */
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
    struct tb_list secrets;
    struct cJSON
        *missing; /* an object: its members are labels whose values are not here; NULL: none */
};

static struct secret *secret_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct secret, link);
}

static void secret_free(struct secret *secret)
{
    tb_list_remove(&secret->link);
    tb_mem_unlock(secret->bytes, secret->size);
    tb_free(secret->bytes);
    tb_free(secret->label);
    tb_free(secret);
}

struct tb_mask *tb_mask_new(void)
{
    struct tb_mask *mask = TB_NEW(struct tb_mask);
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
        secret_free(secret_of(mask->secrets.next));
    }
    tb_json_free(mask->missing);
    tb_free(mask);
}

/* Moves what was spelt into locked memory. */
static struct secret *secret_new(const char *label, struct tb_str value, bool passing)
{
    struct tb_spellings all;
    struct secret *secret = TB_NEW(struct secret);
    tb_spellings_init(&all, value);
    secret->label = tb_strdup(label);
    secret->passing = passing;
    secret->len = value.len;
    secret->size = all.bytes.len;
    secret->bytes = TB_NEW_ARRAY(char, secret->size + 1);
    tb_mem_lock(secret->bytes, secret->size);
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
        secret_free(oldest);
    }
}

void tb_mask_add(struct tb_mask *mask, const char *label, struct tb_str value, bool passing)
{
    if (value.len < TB_SPELLING_MIN || is_known(mask, label, value)) {
        return;
    }
    struct secret *secret = secret_new(label, value, passing);
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

/* Masking. */

static size_t common_len(struct tb_str a, struct tb_str b)
{
    size_t len = 0;
    while (len < a.len && len < b.len && a.ptr[len] == b.ptr[len]) {
        len++;
    }
    return len;
}

/* One spelling on its way through a text. */
struct finder {
    const char *label;
    struct tb_str spelling;
    size_t at; /* where it is next; SIZE_MAX: nowhere */
};

static size_t find_from(struct tb_str text, size_t from, struct tb_str spelling)
{
    struct tb_str rest = tb_str_sub(text, from, text.len);
    struct tb_str head = tb_str_sub(spelling, 0, HEAD);
    const char *found = rest.len ? memmem(rest.ptr, rest.len, head.ptr, head.len) : NULL;
    return found ? (size_t)(found - text.ptr) : SIZE_MAX;
}

/* Those that the text has at all, for the caller to free; NULL: none. */
static struct finder *find_all(const struct tb_mask *mask, struct tb_str text, size_t *ret_count)
{
    struct finder *finders = NULL;
    size_t count = 0;
    LIST_FOREACH(link, &mask->secrets) {
        const struct secret *secret = secret_of(link);
        for (size_t i = 0; i < secret->count; i++) {
            size_t at = find_from(text, 0, secret->spellings[i]);
            if (at != SIZE_MAX) {
                finders = tb_realloc(finders, (count + 1) * sizeof(*finders));
                finders[count++] = (struct finder){secret->label, secret->spellings[i], at};
            }
        }
    }
    *ret_count = count;
    return finders;
}

/* The first that comes; the longest of those that begin there. NULL: there are no more. */
static const struct finder *first_of(const struct finder *finders, size_t count, struct tb_str text)
{
    const struct finder *first = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        const struct finder *one = &finders[i];
        if (one->at == SIZE_MAX || (first && one->at > first->at)) {
            continue;
        }
        size_t len = common_len(tb_str_sub(text, one->at, text.len), one->spelling);
        if (!first || one->at < first->at || len > longest) {
            first = one;
            longest = len;
        }
    }
    return first;
}

/* Where what begins with `first` ends, others that begin inside of it included. */
static size_t end_of(struct finder *finders, size_t count, const struct finder *first,
                     struct tb_str text)
{
    size_t end = first->at;
    bool grows = true;
    while (grows) {
        grows = false;
        for (size_t i = 0; i < count; i++) {
            struct finder *one = &finders[i];
            size_t len =
                one->at <= end ? common_len(tb_str_sub(text, one->at, text.len), one->spelling) : 0;
            bool inside = one->at < end || (one->at == end && end == first->at);
            if (inside && one->at + len > end) {
                end = one->at + len;
                grows = true;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (finders[i].at < end) {
            finders[i].at = find_from(text, end, finders[i].spelling);
        }
    }
    return end;
}

bool tb_mask_text(const struct tb_mask *mask, struct tb_str text, struct tb_buf *out)
{
    size_t count = 0;
    size_t done = 0;
    if (!mask || !text.len) {
        return false;
    }
    /* Most texts have none: then nothing is copied. */
    TB_AUTO(tb_free) struct finder *finders = find_all(mask, text, &count);
    const struct finder *first;
    while ((first = first_of(finders, count, text))) {
        tb_buf_append_str(out, tb_str_sub(text, done, first->at));
        tb_buf_append_cstr(out, first->label);
        done = end_of(finders, count, first, text);
    }
    if (done) {
        tb_buf_append_str(out, tb_str_sub(text, done, text.len));
    }
    return done > 0;
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

/* As JSON, so that names of members are masked as well. */
static void mask_data(const struct tb_mask *mask, struct tb_result *result)
{
    TB_AUTO(tb_buf_wipe) struct tb_buf json = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf masked = TB_BUF(SIZE_MAX);
    if (tb_json_print(result->data, &json) < 0 || !tb_mask_text(mask, tb_buf_str(&json), &masked)) {
        return;
    }
    struct cJSON *data = tb_json_parse(tb_buf_str(&masked));
    tb_json_free(result->data);
    result->data = data ? data : tb_json_new_object();
}

void tb_mask_result(const struct tb_mask *mask, struct tb_result *result)
{
    if (!mask) {
        return;
    }
    mask_buf(mask, &result->text);
    mask_buf(mask, &result->raw);
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
