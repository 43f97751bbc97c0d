/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders in texts that are to be typed, and what stands there instead. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/otp.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/mask.h"
#include "core/secret_site.h"
#include "core/secrets_internal.h"

enum {
    LABEL_SIZE = TB_SECRET_NAME_SIZE + 16,
};

static const struct tb_str opening[] = {{"{{secret:", 9}, {"{{totp:", 7}};

struct wanted {
    bool totp;
    struct tb_str name;
    struct tb_str whole; /* the placeholder in its text */
};

static const char *find(struct tb_str text, struct tb_str what)
{
    return text.len ? memmem(text.ptr, text.len, what.ptr, what.len) : NULL;
}

/* How a placeholder begins here; NULL: none does. */
static const struct tb_str *opening_at(struct tb_str text)
{
    for (size_t i = 0; i < TB_COUNT(opening); i++) {
        if (text.len >= opening[i].len && memcmp(text.ptr, opening[i].ptr, opening[i].len) == 0) {
            return &opening[i];
        }
    }
    return NULL;
}

/* The first placeholder; false: there is none. Without an end its name is empty. Nothing behind it
 * is looked at, so that a text is walked through once however many it has. */
static bool next_wanted(struct tb_str text, struct wanted *ret_wanted)
{
    const struct tb_str *begin = NULL;
    const char *braces;
    while (!begin && (braces = find(text, TB_STR("{{")))) {
        text = tb_str_sub(text, (size_t)(braces - text.ptr), text.len);
        begin = opening_at(text);
        text = begin ? text : tb_str_sub(text, 1, text.len);
    }
    if (!begin) {
        return false;
    }
    const char *end = find(text, TB_STR("}}"));
    size_t len = end ? (size_t)(end - text.ptr) : 0;
    *ret_wanted = (struct wanted){.totp = begin == &opening[1],
                                  .name = tb_str_sub(text, begin->len, len),
                                  .whole = tb_str_sub(text, 0, end ? len + 2 : text.len)};
    return true;
}

bool tb_secrets_wanted(struct tb_str text)
{
    struct wanted wanted;
    return next_wanted(text, &wanted);
}

/* NULL with words: there is none. */
static const struct tb_secret *find_secret(const struct tb_secrets *secrets, const char *tenant,
                                           const struct wanted *wanted, struct tb_err *err)
{
    char key[TB_SECRET_KEY_SIZE];
    if (tb_secrets_ready(secrets, err) < 0 || tb_secret_key(tenant, wanted->name, key, err) < 0) {
        return NULL;
    }
    const struct tb_secret *secret = tb_map_get(&secrets->by_key, tb_str_of(key));
    if (!secret) {
        tb_secret_fail_unknown(wanted->name, err);
        return NULL;
    }
    if (secret->totp != wanted->totp) {
        tb_fail(err, TB_E_SECRET_NOT_FOUND, "the secret %s is used as {{%s:%s}}",
                tb_secret_name(secret), secret->totp ? "totp" : "secret", tb_secret_name(secret));
        return NULL;
    }
    return secret;
}

static bool is_for(const struct tb_secret *secret, struct tb_str origin)
{
    struct tb_str host;
    bool fits = false;
    if (!tb_secret_origin_host(origin, &host)) {
        return false;
    }
    JSON_ARRAY_FOREACH(item, secret->domains) {
        struct tb_str domain = {"=", 1};
        tb_json_str(item, &domain); /* ended by a NUL, as all texts of a tree */
        fits = fits || tb_secret_domain_has(domain.ptr, host);
    }
    return fits;
}

static int check_sites(const struct tb_secret *secret, const struct tb_secret_use *use,
                       struct tb_err *err)
{
    struct tb_quoted words;
    for (size_t i = 0; i < use->origin_count; i++) {
        if (!is_for(secret, use->origins[i])) {
            return tb_fail(err, TB_E_SECRET_SITE, "the secret %s is not for %s: %s is %s",
                           tb_secret_name(secret), i == 0 ? "this field" : "a frame in this page",
                           i == 0 ? "the field's document" : "a document around the field",
                           use->origins[i].len ? tb_quoted(&words, use->origins[i], 0)
                                               : "without an origin");
        }
    }
    return use->origin_count
               ? 0
               : tb_fail(
                     err, TB_E_SECRET_SITE,
                     "the secret %s was not typed: the site that the field belongs to is unknown",
                     tb_secret_name(secret));
}

static int put_value(const struct tb_secrets *secrets, const struct tb_secret *secret,
                     struct tb_mask *mask, struct tb_buf *out, struct tb_err *err)
{
    TB_AUTO(tb_secret_wipe)
    struct cJSON *plain = tb_secret_open(secrets, secret->key, tb_str_of(secret->sealed));
    struct tb_str value = tb_json_text(plain, "value");
    char label[LABEL_SIZE];
    char code[TB_OTP_CODE_SIZE] = "";
    struct tb_otp otp;
    if (!plain) {
        return tb_fail(err, TB_E_INTERNAL, "the secret %s cannot be opened",
                       tb_secret_name(secret));
    }
    if (secret->totp) {
        if (tb_otp_parse(value, &otp, err) < 0) {
            return err->code;
        }
        tb_otp_code(&otp, tb_clock_wall_ms(secrets->core->clock) / 1000, code);
        explicit_bzero(&otp, sizeof(otp));
        value = tb_str_of(code);
    }
    snprintf(label, sizeof(label), "{{%s:%s}}", secret->totp ? "totp" : "secret",
             tb_secret_name(secret));
    tb_mask_add(mask, label, value, secret->totp);
    int rc = tb_buf_append_str(out, value);
    explicit_bzero(code, sizeof(code));
    return rc < 0 ? tb_fail(err, rc, "the text is too long with its secrets") : 0;
}

int tb_secrets_recall(struct tb_secrets *secrets, const char *tenant, struct tb_mask *mask,
                      struct tb_err *err)
{
    const char *label;
    while ((label = tb_mask_missing(mask))) {
        const struct tb_secret *secret = NULL;
        struct wanted wanted;
        char key[LABEL_SIZE];
        TB_AUTO(tb_buf_wipe) struct tb_buf value = TB_BUF(TB_SECRET_VALUE_MAX);
        snprintf(key, sizeof(key), "%s", label);
        if (next_wanted(tb_str_of(key), &wanted)) {
            secret = find_secret(secrets, tenant, &wanted, err);
        }
        if (secret) {
            put_value(secrets, secret, mask, &value, err);
        } else if (!secrets->loaded) {
            return err->code;
        }
        tb_mask_forget(mask, key);
    }
    return 0;
}

/* Each that was filled in, as often as the text has it. */
static void tell_used(const struct tb_secrets *secrets, const struct tb_secret_use *use,
                      const struct tb_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tb_bus_publish(&secrets->core->bus,
                       &(struct tb_event){.type = TB_EVENT_SECRET_USED,
                                          .tenant = use->tenant,
                                          .session_id = use->session_id,
                                          .session = use->session,
                                          .hidden = use->hidden,
                                          .agent = use->agent,
                                          .gate = use->gate,
                                          .fields = {tb_field_text("secret", names[i]),
                                                     tb_field_text("site", use->origins[0])}});
    }
}

static int fill_one(const struct tb_secrets *secrets, const struct tb_secret_use *use,
                    const struct wanted *wanted, struct tb_buf *out, struct tb_err *err)
{
    const struct tb_secret *secret = find_secret(secrets, use->tenant, wanted, err);
    if (!secret) {
        return err->code;
    }
    int rc = check_sites(secret, use, err);
    return rc < 0 ? rc : put_value(secrets, secret, use->mask, out, err);
}

int tb_secrets_fill_in(struct tb_secrets *secrets, const struct tb_secret_use *use,
                       struct tb_str text, struct tb_buf *out, struct tb_err *err)
{
    struct tb_str names[TB_SECRET_USES_MAX];
    size_t count = 0;
    struct wanted wanted;
    while (next_wanted(text, &wanted)) {
        size_t at = (size_t)(wanted.whole.ptr - text.ptr);
        if (count == TB_SECRET_USES_MAX) {
            return tb_fail(err, TB_E_LIMIT, "a text may use at most %d secrets; type it in parts",
                           TB_SECRET_USES_MAX);
        }
        tb_buf_append_str(out, tb_str_sub(text, 0, at));
        if (fill_one(secrets, use, &wanted, out, err) < 0) {
            return err->code;
        }
        names[count++] = wanted.name;
        text = tb_str_sub(text, at + wanted.whole.len, text.len);
    }
    int rc = tb_buf_append_str(out, text);
    if (rc < 0) {
        return tb_fail(err, rc, "the text is too long with its secrets");
    }
    tell_used(secrets, use, names, count);
    return 0;
}
