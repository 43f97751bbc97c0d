/* SPDX-License-Identifier: Apache-2.0 */
/* Files that pages of a session offered for download. They are kept only when the session has a
 * directory; the browser saves each under a name of its own, and when it is whole it gets the name
 * that the page gave it, made safe and unique. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"
#include "base/str.h"

enum {
    TB_DOWNLOADS_KEPT = 100,    /* records */
    TB_DOWNLOAD_TOLD_MS = 1000, /* for word of one, after the browser has refused the page */
};

struct tb_files_folder;

/* Why they are refused, before anybody has asked for them. */
#define TB_DOWNLOADS_OFF "the session does not keep files"

/* Where they go and how large they may be; 0: any size. */
struct tb_cdp_download_rules {
    const struct tb_files_folder *folder; /* NULL: none are kept */
    int64_t file_max_bytes;
    int64_t all_max_bytes;  /* of one session */
    int64_t room_min_bytes; /* that stay free on the disk */
};

struct tb_cdp_download_log {
    struct tb_list items;
    size_t count;
    uint64_t begun;  /* ever */
    uint64_t listed; /* so many of them the caller has been told of, by the operation of the name */
    bool allowed;    /* the browser saves them in the session's directory */
    bool changed;    /* one began or ended; the owner resets it */
    int64_t unlisted_bytes; /* of files without a record: it is gone, or a call brought them */
    /* Has the browser end one. Set by the owner, as is `done`: a file is whole. */
    void (*cancel)(const char *guid, void *owner);
    void (*done)(const char *file, const char *url, int64_t bytes, void *owner);
    void *owner;
    /* Told of every change until tb_cdp_download_log_forget. NULL: nobody. */
    void (*on_change)(void *user);
    void *user;
};

void tb_cdp_download_log_init(struct tb_cdp_download_log *log);
void tb_cdp_download_log_fini(struct tb_cdp_download_log *log);
/* Takes Page.downloadWillBegin, and downloadProgress of page and browser; the browser's may be of
 * another session. */
void tb_cdp_download_log_on_event(struct tb_cdp_download_log *log,
                                  const struct tb_cdp_download_rules *rules, struct tb_str method,
                                  struct tb_str params);
/* Whether a file may be as large as `bytes`, of which `counted` are among the session's already.
 * TB_E_TOO_LARGE, TB_E_STORE (the disk), TB_E_NOT_POSSIBLE (no directory). */
int tb_cdp_download_log_admit(const struct tb_cdp_download_log *log,
                              const struct tb_cdp_download_rules *rules, int64_t counted,
                              int64_t bytes, struct tb_err *err);
/* `user` does not want to hear of changes any more, if it ever did. */
void tb_cdp_download_log_forget(struct tb_cdp_download_log *log, const void *user);
/* That an address is a download, not a page, and what comes of it; an empty address: it is not
 * known. */
void tb_cdp_download_log_words(const struct tb_cdp_download_log *log, struct tb_str url,
                               struct tb_err *ret_err);
/* True while one that is kept is under way. */
bool tb_cdp_download_log_busy(const struct tb_cdp_download_log *log);
/* All, as an array of objects for the operation. */
struct cJSON *tb_cdp_download_log_list(const struct tb_cdp_download_log *log,
                                       const char *directory);
/* All, and what counts towards the ceilings, as text for tb_cdp_download_log_recall, which another
 * browser of the session reads. What was under way then is lost, and so is a file that is not there
 * any more. */
void tb_cdp_download_log_write(const struct tb_cdp_download_log *log, struct tb_buf *out);
void tb_cdp_download_log_recall(struct tb_cdp_download_log *log,
                                const struct tb_files_folder *folder, struct tb_str text);
/* Adds `downloads` to the data of an operation: those that began after so many others had. */
void tb_cdp_download_log_since(const struct tb_cdp_download_log *log, uint64_t begun,
                               struct cJSON *data);
