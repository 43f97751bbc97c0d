/* SPDX-License-Identifier: Apache-2.0 */
/* A frame of a tab, the main one too: its document, our world in it, its navigations. For the files
 * of this room; others know it by page.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "driver/cdp/page/page.h"
#include "driver/cdp/page/target.h"

struct cJSON;

enum {
    TB_URL_KEPT = 16 * 1024,
};

/* How far a document has come. */
enum tb_cdp_reached {
    TB_REACHED_COMMIT = 1,
    TB_REACHED_DOM = 2,
    TB_REACHED_LOAD = 4,
    TB_REACHED_IDLE = 8,
};

struct tb_cdp_frame {
    struct tb_cdp_page *page;
    struct tb_cdp_target *target; /* where it lives */
    struct tb_cdp_frame *parent;  /* NULL: the main frame */
    unsigned number;
    char id[TB_TARGET_ID_SIZE];
    char owner[TB_REF_SIZE]; /* the ref of the iframe that it is in; empty: not known */
    char loader_id[TB_TARGET_ID_SIZE];
    char world[TB_TARGET_ID_SIZE];
    char main_world[TB_TARGET_ID_SIZE];
    char *url;
    char *origin;      /* of its main world, while it has one */
    uint64_t document; /* another number for each that it gets */
    /* Navigation, see nav.c. */
    uint64_t nav;  /* the page's count when the last one began */
    uint64_t left; /* the same when the last one began that did not stay inside its document */
    /* These three as the last one left them that did not come to nothing. */
    uint64_t nav_done;
    uint64_t left_done;
    bool within_done;
    bool nav_asked;     /* one is under way and has no document yet */
    bool nav_started;   /* the browser has taken it up */
    bool nav_barred;    /* to an address that no page may open */
    bool nav_within;    /* it stayed inside its document */
    bool loading;       /* as told; what stopped without a start is older than we are */
    bool mended;        /* its missing world was asked for, see frame.c */
    bool failed;        /* the document is the browser's own error page */
    uint64_t secretive; /* the document that was given a secret; 0: none was */
    unsigned reached;   /* of the present document */
};

/* frame.c */
struct tb_cdp_frame *tb_cdp_frame_new(struct tb_cdp_page *page, struct tb_cdp_target *target,
                                      struct tb_cdp_frame *parent, struct tb_str id);
/* Frees it; it has left the page's table. */
void tb_cdp_frame_free(struct tb_cdp_frame *frame);
/* From now on it lives in this target. False: the main frame never leaves its tab's own. */
bool tb_cdp_frame_move(struct tb_cdp_frame *frame, struct tb_cdp_target *target);
/* Removes the frame and all below it; calls there end with TB_E_ELEMENT_STALE. */
void tb_cdp_frame_remove(struct tb_cdp_frame *frame);
/* The document that held the frames below this one is gone. */
void tb_cdp_frames_drop_below(struct tb_cdp_frame *frame);
void tb_cdp_frames_drop_target(struct tb_cdp_page *page, const struct tb_cdp_target *target);
void tb_cdp_frames_take_tree(struct tb_cdp_target *target, const struct cJSON *tree,
                             struct tb_cdp_frame *parent);
void tb_cdp_frame_set_url(struct tb_cdp_frame *frame, struct tb_str url);
/* The document is there and has no world. */
void tb_cdp_frame_mend(struct tb_cdp_frame *frame);
void tb_cdp_frame_on_attached(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_frame_on_detached(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_frame_on_world(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_frame_on_world_gone(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_frame_on_worlds_gone(struct tb_cdp_target *target, const struct cJSON *params);

/* nav.c, settle.c */
void tb_cdp_nav_on_asked(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_started(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_loading(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_stopped(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_cleared(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_committed(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_within(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_on_lifecycle(struct tb_cdp_target *target, const struct cJSON *params);
void tb_cdp_nav_settles_fail(struct tb_cdp_page *page, const struct tb_err *err);
/* Looks again whether somebody's wait is over. */
void tb_cdp_nav_check(struct tb_cdp_page *page);
