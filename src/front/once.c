/* SPDX-License-Identifier: Apache-2.0 */
#include "front/once.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/map.h"
#include "base/seal.h"
#include "core/core.h"
#include "core/limits.h"
#include "front/reply.h"
#include "io/timer.h"

enum {
    SWEEP_MS = 3600 * 1000,
    HASH_SIZE = 2 * TB_HASH_BYTES + 1,
    PLACE_SIZE = TB_TENANT_SIZE + TB_KEY_SIZE + HASH_SIZE + 2,
    VALUE_MAX = 2 * TB_ONCE_BODY_MAX + TB_KIB,
};

/* How many records a credential has. */
struct tally {
    char whose[TB_TENANT_SIZE + TB_KEY_SIZE + 1];
    size_t count;
};

struct tb_onces {
    struct tb_core *core;
    struct tb_list running;
    struct tb_map tallies;
    struct tb_timer timer;
    struct tb_store_read *sweep;
};

struct tb_once {
    struct tb_list link; /* of those that are under way */
    struct tb_onces *onces;
    struct tb_front_req *req; /* until it runs; NULL: it has gone */
    struct tb_store_read *read;
    struct tb_timer patience;
    char place[PLACE_SIZE]; /* of its record: tenant/credential/hash of its key */
    char of[HASH_SIZE];     /* a hash of what is asked for */
    struct tb_buf found;    /* a record that was there already */
};

/* Counting. */

static struct tally *tally_of(struct tb_onces *onces, struct tb_str place)
{
    size_t len = place.len;
    while (len && place.ptr[len - 1] != '/') {
        len--;
    }
    struct tb_str whose = tb_str_sub(place, 0, len ? len - 1 : 0);
    struct tally *tally = tb_map_get(&onces->tallies, whose);
    if (!tally) {
        tally = TB_NEW(struct tally);
        snprintf(tally->whose, sizeof(tally->whose), "%.*s", TB_STR_ARG(whose));
        tb_map_add(&onces->tallies, tb_str_of(tally->whose), tally);
    }
    return tally;
}

static void clear_tallies(struct tb_onces *onces)
{
    MAP_FOREACH(slot, &onces->tallies) {
        tb_free(slot->value);
    }
    tb_map_fini(&onces->tallies);
    tb_map_init(&onces->tallies);
}

/* Sweeping: what is too old goes, and the rest is counted anew. */

static bool is_running(const struct tb_onces *onces, struct tb_str place)
{
    LIST_FOREACH(link, &onces->running) {
        if (tb_str_eq_cstr(place, TB_CONTAINER(link, struct tb_once, link)->place)) {
            return true;
        }
    }
    return false;
}

static bool is_old(const struct tb_onces *onces, const struct cJSON *record)
{
    int64_t at_ms = 0;
    tb_json_int(tb_json_get(record, "at"), &at_ms);
    return at_ms + TB_ONCE_MS <= tb_clock_wall_ms(onces->core->clock);
}

static void on_record(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_onces *onces = user;
    TB_AUTO(tb_json_free) struct cJSON *record = tb_json_parse(value);
    if (is_old(onces, record) && !is_running(onces, key)) {
        tb_store_remove(&onces->core->store, TB_SPACE_ONCE, key, NULL);
    } else {
        tally_of(onces, key)->count++;
    }
}

static void on_swept(const struct tb_err *err, void *user)
{
    struct tb_onces *onces = user;
    (void)err; /* the next one may do better */
    onces->sweep = NULL;
    tb_timer_start(&onces->timer, SWEEP_MS);
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_onces *onces = user;
    const struct tb_store *store = &onces->core->store;
    (void)timer;
    if (store->kind) {
        clear_tallies(onces);
        onces->sweep =
            store->kind->each(store->state, TB_SPACE_ONCE, NULL, on_record, on_swept, onces);
    }
}

struct tb_onces *tb_onces_new(struct tb_core *core)
{
    struct tb_onces *onces = TB_NEW(struct tb_onces);
    onces->core = core;
    tb_list_init(&onces->running);
    tb_map_init(&onces->tallies);
    tb_timer_init(&onces->timer, core->loop, on_timer, onces);
    tb_timer_start(&onces->timer, 0);
    return onces;
}

static void once_free(struct tb_once *once)
{
    if (once->req) {
        once->req->once = NULL;
    }
    if (once->read) {
        once->onces->core->store.kind->cancel(once->read);
    }
    tb_list_remove(&once->link);
    tb_timer_fini(&once->patience);
    tb_buf_fini(&once->found);
    tb_free(once);
}

void tb_onces_free(struct tb_onces *onces)
{
    while (!tb_list_empty(&onces->running)) {
        once_free(TB_CONTAINER(onces->running.next, struct tb_once, link));
    }
    if (onces->sweep) {
        onces->core->store.kind->cancel(onces->sweep);
    }
    clear_tallies(onces);
    tb_map_fini(&onces->tallies);
    tb_timer_fini(&onces->timer);
    tb_free(onces);
}

/* Records: {"at":ms,"of":hash}, and once there is an answer status, type and the sealed body. */

static void put_record(struct tb_once *once, int status, const char *type, struct tb_str body,
                       struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf sealed = TB_BUF(VALUE_MAX);
    const struct tb_core *core = once->onces->core;
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_int(&json, "at", tb_clock_wall_ms(core->clock));
    tb_json_member_cstr(&json, "of", once->of);
    if (status) {
        tb_json_member_int(&json, "status", status);
        tb_json_member_cstr(&json, "type", type);
    }
    /* It may have what a page shows, or the text of a new key. */
    if (status && body.len <= TB_ONCE_BODY_MAX &&
        tb_seal(core->secret, tb_str_of(once->place), body, &sealed) == 0) {
        tb_json_member_str(&json, "body", tb_buf_str(&sealed));
    }
    tb_json_object_close(&json);
}

/* Done nothing, whoever asks: the same may be asked again. */
static bool came_to_nothing(int code)
{
    return code == TB_E_RATE || code == TB_E_BUSY || code == TB_E_LIMIT || code == TB_E_HELD ||
           code == TB_E_UNAUTHORIZED;
}

void tb_once_answer(struct tb_once *once, int code, int status, const char *type,
                    struct tb_str body, struct tb_gate *gate)
{
    TB_AUTO(tb_buf_fini) struct tb_buf value = TB_BUF(VALUE_MAX);
    if (!once) {
        return;
    }
    const struct tb_store *store = &once->onces->core->store;
    struct tb_str place = tb_str_of(once->place);
    if (came_to_nothing(code)) {
        tb_store_remove(store, TB_SPACE_ONCE, place, NULL);
        tally_of(once->onces, place)->count--;
    } else {
        put_record(once, status, type, body, &value);
        tb_store_put(store, TB_SPACE_ONCE, place, tb_buf_str(&value), gate);
    }
    once_free(once);
}

struct tb_once *tb_once_take(struct tb_front_req *req)
{
    struct tb_once *once = req->once;
    if (once) {
        once->req = NULL;
        req->once = NULL;
    }
    return once;
}

void tb_once_gone(struct tb_front_req *req)
{
    if (req->once) {
        once_free(req->once);
    }
}

/* A request that was there before. */

static void refuse(struct tb_once *once, int code, const char *text)
{
    struct tb_front_req *req = once->req;
    once_free(once);
    tb_reply_error(req, code, text);
}

static void replay(struct tb_once *once, const struct cJSON *record, int64_t status)
{
    const struct tb_core *core = once->onces->core;
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(TB_ONCE_BODY_MAX);
    struct tb_str sealed = tb_json_text(record, "body");
    struct tb_front_req *req = once->req;
    if (!sealed.len || tb_seal_open(core->secret, tb_str_of(once->place), sealed, &body) < 0) {
        char text[128];
        snprintf(text, sizeof(text),
                 "this request was done (status %lld), and its answer was too large to keep",
                 (long long)status);
        refuse(once, TB_E_EXISTS, text);
        return;
    }
    TB_AUTO(tb_free) char *type = tb_str_dup(tb_json_text(record, "type"));
    once_free(once);
    tb_reply_again(req, (int)status, type, tb_buf_str(&body));
}

static void run(struct tb_once *once)
{
    tb_timer_stop(&once->patience);
    once->req->route->handle(once->req);
}

static void on_found_end(const struct tb_err *err, void *user)
{
    struct tb_once *once = user;
    TB_AUTO(tb_json_free) struct cJSON *record = tb_json_parse(tb_buf_str(&once->found));
    int64_t status = 0;
    once->read = NULL;
    tb_json_int(tb_json_get(record, "status"), &status);
    if (err && err->code == TB_E_NOT_FOUND) { /* it has just come to nothing */
        refuse(once, TB_E_IN_PROGRESS, "a request with this Idempotency-Key has just ended");
    } else if (err) {
        refuse(once, err->code, err->text);
    } else if (!tb_str_eq_cstr(tb_json_text(record, "of"), once->of)) {
        refuse(once, TB_E_KEY_REUSED, "this Idempotency-Key was used for another request");
    } else if (status) {
        replay(once, record, status);
    } else {
        refuse(once, TB_E_OUTCOME_UNKNOWN, "this request was begun, and nobody knows how it ended");
    }
}

static void on_found(struct tb_str key, struct tb_str value, void *user)
{
    struct tb_once *once = user;
    (void)key;
    tb_buf_append_str(&once->found, value);
}

static void on_put(const struct tb_err *err, void *user)
{
    struct tb_once *once = user;
    const struct tb_store *store = &once->onces->core->store;
    once->read = NULL;
    if (err && err->code == TB_E_EXISTS) {
        once->read = store->kind->get(store->state, TB_SPACE_ONCE, tb_str_of(once->place), on_found,
                                      on_found_end, once);
    } else if (err) {
        refuse(once, err->code, err->text);
    } else {
        tally_of(once->onces, tb_str_of(once->place))->count++;
        run(once);
    }
}

/* It has not run and will not; should its record be written all the same, that says so as little as
 * anybody can. */
static void on_late(struct tb_timer *timer, void *user)
{
    struct tb_once *once = user;
    const struct tb_store *store = &once->onces->core->store;
    (void)timer;
    tb_store_remove(store, TB_SPACE_ONCE, tb_str_of(once->place), NULL);
    refuse(once, TB_E_STORE, "the store does not answer; nothing was done");
}

/* Beginning. */

static int read_key(const struct tb_front_req *req, struct tb_str *ret_key, struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct tb_str key = tb_http1_header(head, "Idempotency-Key");
    *ret_key = key.ptr ? tb_str_trim(key) : key;
    bool many = tb_http1_header_times(head, "Idempotency-Key") > 1;
    if (key.ptr && (many || !ret_key->len || ret_key->len > TB_ONCE_KEY_MAX)) {
        return tb_fail(err, TB_E_PARAMS, "Idempotency-Key must have 1 to %d characters, once",
                       TB_ONCE_KEY_MAX);
    }
    return 0;
}

static void hash(const struct tb_core *core, const struct tb_str *parts, size_t count,
                 char ret_hash[HASH_SIZE])
{
    uint8_t bytes[TB_HASH_BYTES];
    tb_hash_keyed(core->secret, parts, count, bytes);
    tb_hex(bytes, TB_HASH_BYTES, ret_hash);
}

static struct tb_once *once_new(struct tb_onces *onces, struct tb_front_req *req, struct tb_str key)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    const struct tb_str asked[] = {head->method, head->path, head->query,
                                   tb_http1_header(head, "X-Conversation-Id"),
                                   tb_http_req_body(req->http)};
    const struct tb_str named[] = {TB_STR("once"), key};
    struct tb_once *once = TB_NEW(struct tb_once);
    char name[HASH_SIZE];
    once->onces = onces;
    once->req = req;
    tb_buf_init(&once->found, VALUE_MAX);
    tb_timer_init(&once->patience, onces->core->loop, on_late, once);
    hash(onces->core, named, TB_COUNT(named), name);
    hash(onces->core, asked, TB_COUNT(asked), once->of);
    snprintf(once->place, sizeof(once->place), "%s/%s/%s", req->who->tenant, req->who->key, name);
    tb_list_init(&once->link);
    return once;
}

static void begin(struct tb_once *once)
{
    struct tb_onces *onces = once->onces;
    const struct tb_store *store = &onces->core->store;
    struct tb_str place = tb_str_of(once->place);
    TB_AUTO(tb_buf_fini) struct tb_buf value = TB_BUF(VALUE_MAX);
    if (is_running(onces, place)) {
        refuse(once, TB_E_IN_PROGRESS, "a request with this Idempotency-Key is under way");
        return;
    }
    if (tally_of(onces, place)->count >= TB_ONCE_KEPT) {
        refuse(once, TB_E_RATE,
               "so many requests of this key have an Idempotency-Key that no more can be kept; "
               "each is for a day");
        return;
    }
    tb_list_append(&onces->running, &once->link);
    if (!store->kind) {
        run(once);
        return;
    }
    put_record(once, 0, NULL, TB_STR(""), &value);
    tb_timer_start(&once->patience, onces->core->config->browser_timeout_ms + TB_CALL_GRACE_MS);
    once->read =
        store->kind->put_new(store->state, TB_SPACE_ONCE, place, tb_buf_str(&value), on_put, once);
}

bool tb_once_before(struct tb_onces *onces, struct tb_front_req *req)
{
    struct tb_str key;
    struct tb_err err;
    int rc = read_key(req, &key, &err);
    if (!key.ptr || strcmp(req->route->method, "GET") == 0) {
        return true;
    }
    if (rc < 0) {
        tb_reply_error(req, err.code, err.text);
        return false;
    }
    req->once = once_new(onces, req, key);
    begin(req->once);
    return false;
}
