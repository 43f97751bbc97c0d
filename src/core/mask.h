/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the secrets that were typed in a session out of what the session tells: wherever one
 * appears, in any case, plain, squeezed or as base64, hex digits, URL, JSON or HTML write it, its
 * placeholder stands instead. Of a
 * long one its beginning is enough, since texts are cut.
 *
 * The values lie in locked memory, which is wiped at the end. The session holds a reference, and so
 * does every operation that may tell of them. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct tb_event;
struct tb_json_writer;
struct tb_mask;
struct tb_result;
struct tb_vault;

/* What it knows lies in the vault. */
struct tb_mask *tb_mask_new(struct tb_vault *vault);
struct tb_mask *tb_mask_ref(struct tb_mask *mask, const char *why); /* NULL of NULL */
void tb_mask_unref(struct tb_mask *mask, const char *why);
/* From now on the value is shown as `label`. With `passing` it is a code that is good for once: of
 * those of one label only the latest few are known. */
void tb_mask_add(struct tb_mask *mask, const char *label, struct tb_str value, bool passing);
/* A value that the session has typed once is to be masked, but is not here: a daemon before this
 * one knew it. */
void tb_mask_expect(struct tb_mask *mask, const char *label);
/* One of those, borrowed; NULL: none is missing. `mask` may be NULL. */
const char *tb_mask_missing(const struct tb_mask *mask);
/* It is not missed any more. */
void tb_mask_forget(struct tb_mask *mask, const char *label);
/* An array of the labels of all that do not pass; of a NULL mask an empty one. Gives their count.
 */
size_t tb_mask_labels(const struct tb_mask *mask, struct tb_json_writer *json);
/* Appends the text to `out` without them and gives true; false: there are none, nothing was
 * appended. `mask` may be NULL. */
bool tb_mask_text(const struct tb_mask *mask, struct tb_str text, struct tb_buf *out);
/* The same for all words of a result, in its place. */
void tb_mask_result(const struct tb_mask *mask, struct tb_result *result);
/* And of an event: a page may have put one into its address, or the name of a file. `words` keeps
 * what stands there instead. */
void tb_mask_event(const struct tb_mask *mask, struct tb_event *event, struct tb_buf *words);
