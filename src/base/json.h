/* SPDX-License-Identifier: Apache-2.0 */
/* JSON trees over cJSON, to read and to build, and a writer that appends straight to a buffer.
 *
 * cJSON is lax and turns numbers into doubles, so a message from outside first passes
 * proto/json_scan. The tree of a message is freed with tb_json_free; everything got from it is
 * borrowed from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct cJSON;

/* NULL when the text is no JSON. */
struct cJSON *tb_json_parse(struct tb_str text);
void tb_json_free(struct cJSON *json);
TB_DEFINE_AUTO(struct cJSON *, tb_json_free)

/* Member of an object, exact case; NULL when absent or when `json` is NULL or no object. */
const struct cJSON *tb_json_get(const struct cJSON *json, const char *key);
bool tb_json_is_object(const struct cJSON *json);
bool tb_json_is_array(const struct cJSON *json);
bool tb_json_is_null(const struct cJSON *json);
/* First element or member, and the one after; NULL at the end. */
const struct cJSON *tb_json_first(const struct cJSON *json);
const struct cJSON *tb_json_next(const struct cJSON *item);
/* The name of a member; NULL for an element of an array. */
const char *tb_json_name(const struct cJSON *item);
/* Each gives false, and leaves the result alone, when the value is absent or of another type. */
bool tb_json_str(const struct cJSON *json, struct tb_str *ret_text);
/* The text under this key of an object; empty, with a NULL pointer, if there is none. */
struct tb_str tb_json_text(const struct cJSON *json, const char *key);
bool tb_json_int(const struct cJSON *json, int64_t *ret_value); /* whole, below 2^53 */
bool tb_json_num(const struct cJSON *json, double *ret_value);  /* finite */
bool tb_json_bool(const struct cJSON *json, bool *ret_value);

#define JSON_ARRAY_FOREACH(item, json) \
    for (const struct cJSON *item = tb_json_first(json); item; item = tb_json_next(item))

/* Building. Sizes are ours, so nothing here fails but printing at the buffer's ceiling. Setting a
 * key that is there replaces its value. Text ends at its first NUL, if it has one. */
struct cJSON *tb_json_new_object(void);
struct cJSON *tb_json_new_array(void);
struct cJSON *tb_json_new_str(struct tb_str text);
struct cJSON *tb_json_new_num(double value);
struct cJSON *tb_json_new_bool(bool value);
/* A deep copy; NULL of NULL. */
struct cJSON *tb_json_dup(const struct cJSON *json);
void tb_json_set_str(struct cJSON *object, const char *key, struct tb_str text);
void tb_json_set_cstr(struct cJSON *object, const char *key, const char *text); /* NULL sets null */
void tb_json_set_int(struct cJSON *object, const char *key, int64_t value); /* exact below 2^53 */
void tb_json_set_num(struct cJSON *object, const char *key, double value);
void tb_json_set_bool(struct cJSON *object, const char *key, bool value);
void tb_json_set_null(struct cJSON *object, const char *key);
/* These own `item` from here on. NULL, the copy of what somebody left out, is left out as well. */
void tb_json_set_take(struct cJSON *object, const char *key, struct cJSON *item);
void tb_json_append_take(struct cJSON *array, struct cJSON *item);
void tb_json_remove(struct cJSON *object, const char *key);
/* The same values, whatever the order of members. */
bool tb_json_eq(const struct cJSON *a, const struct cJSON *b);
/* Appends the tree without white space; on failure the buffer is as it was. */
int tb_json_print(const struct cJSON *json, struct tb_buf *out);

/* The writer. Commas are its business; values follow keys inside objects. An error (the buffer's
 * ceiling) sticks in `rc`, so a caller checks once at the end. Text that is not UTF-8 is written
 * with U+FFFD. */
struct tb_json_writer {
    struct tb_buf *out;
    bool need_comma;
    int rc;
};

void tb_json_writer_init(struct tb_json_writer *writer, struct tb_buf *out);
void tb_json_object_open(struct tb_json_writer *writer);
void tb_json_object_close(struct tb_json_writer *writer);
void tb_json_array_open(struct tb_json_writer *writer);
void tb_json_array_close(struct tb_json_writer *writer);
void tb_json_key(struct tb_json_writer *writer, const char *key);
void tb_json_put_str(struct tb_json_writer *writer, struct tb_str text);
void tb_json_put_cstr(struct tb_json_writer *writer, const char *text); /* NULL writes null */
void tb_json_put_int(struct tb_json_writer *writer, int64_t value);
void tb_json_put_num(struct tb_json_writer *writer, double value); /* not finite writes null */
void tb_json_put_bool(struct tb_json_writer *writer, bool value);
void tb_json_put_null(struct tb_json_writer *writer);
/* A value that is JSON already (a peer's id or payload), copied as it is. */
void tb_json_put_raw(struct tb_json_writer *writer, struct tb_str json);
void tb_json_put_tree(struct tb_json_writer *writer,
                      const struct cJSON *json); /* NULL writes null */
/* Key and value of a member in one. */
void tb_json_member_str(struct tb_json_writer *writer, const char *key, struct tb_str text);
void tb_json_member_cstr(struct tb_json_writer *writer, const char *key, const char *text);
void tb_json_member_int(struct tb_json_writer *writer, const char *key, int64_t value);
void tb_json_member_num(struct tb_json_writer *writer, const char *key, double value);
void tb_json_member_bool(struct tb_json_writer *writer, const char *key, bool value);
void tb_json_member_raw(struct tb_json_writer *writer, const char *key, struct tb_str json);
void tb_json_member_tree(struct tb_json_writer *writer, const char *key, const struct cJSON *json);
/* A moment on the wall clock as in base/clock.h; 0 writes null. */
void tb_json_member_time(struct tb_json_writer *writer, const char *key, int64_t wall_ms);
