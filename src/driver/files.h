/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of a session's files, the only place that files go into a page from and come out of
 * it to. It lies beside the profile of its browser and belongs to the browser's user, so that
 * nobody else can reach it; it bears the session's id and goes with the session, not with the
 * browser or the daemon. Callers give names, never paths.
 *
 * What is inside may be the browser's work, so nothing here follows links, and a directory that was
 * put in the place of the session's is not touched. The browser opens by their names the files that
 * it is to upload: whoever could exchange one of them meanwhile is the browser's user itself, with
 * whose rights it is then read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TB_FILE_NAME_SIZE = 201,
    TB_FILES_BYTES_MAX = 64 * 1024 * 1024, /* of a file that a call brings */
};

/* Which directory it is, whatever its name leads to by now. */
struct tb_files_id {
    uint64_t device;
    uint64_t inode;
};

/* A session's. */
struct tb_files_folder {
    char *path; /* NULL: not made */
    struct tb_files_id id;
};

/* Makes the directory below `root` for who owns `profile`, or takes the one that is there. */
int tb_files_make(const char *root, const char *session_id, const char *profile,
                  struct tb_files_folder *ret_folder, struct tb_err *err);
/* False when the name leads to another directory than it did, or to none: nothing is written or
 * read there then. */
bool tb_files_same(const struct tb_files_folder *folder);
/* Bytes that are left on its disk. */
int64_t tb_files_room(const struct tb_files_folder *folder);
/* Removes the directory of a session with all that is inside, if there is one. */
void tb_files_remove(const char *root, const char *session_id);
/* The same for all below `root` that need not be kept. */
void tb_files_sweep(const char *root, bool (*is_kept)(struct tb_str session_id, void *user),
                    void *user);

/* A name that is safe in any directory and looks like what it is: no separators, no control
 * characters, none that turn the direction, no dot or dash in front, not empty. Cut at whole
 * characters. */
void tb_files_name_clean(struct tb_str given, char ret_name[TB_FILE_NAME_SIZE]);
/* True if it is a plain name already. */
bool tb_files_name_plain(struct tb_str name);

/* Writes a new file, or one in the place of an old one. */
int tb_files_write(const struct tb_files_folder *folder, const char *name, struct tb_str content,
                   struct tb_err *err);
/* The same in one step: at any moment there is the old one or the new one. */
int tb_files_replace(const struct tb_files_folder *folder, const char *name, struct tb_str content);
int tb_files_read(const struct tb_files_folder *folder, const char *name, struct tb_buf *out);
/* Negative: there is no plain file of that name. */
int64_t tb_files_size(const struct tb_files_folder *folder, const char *name);
/* True if there is such a file, and it is a plain one. */
bool tb_files_has(const struct tb_files_folder *folder, const char *name);
void tb_files_delete(const struct tb_files_folder *folder, const char *name);
/* Gives a file its name; when that is taken, a number is put before its ending. */
int tb_files_rename(const struct tb_files_folder *folder, const char *from,
                    char name[TB_FILE_NAME_SIZE]);
