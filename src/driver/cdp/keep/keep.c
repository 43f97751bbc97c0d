/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/keep/keep.h"

#include "base/mem.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/keep/keep_internal.h"

static struct tb_cdp_keep *keep_of(struct tb_cdp_keeper *keeper)
{
    return TB_CONTAINER(keeper, struct tb_cdp_keep, keeper);
}

struct tb_cdp_keep *tb_cdp_keep_of(struct tb_driver_session *session)
{
    return keep_of(session->keeper);
}

static bool seated(struct tb_cdp_keeper *keeper, struct tb_driver_session *session,
                   int64_t deadline_ms)
{
    struct tb_cdp_keep *keep = keep_of(keeper);
    TB_AUTO(tb_free) char *saved = keep->saved;
    keep->saved = NULL;
    if (saved) {
        tb_cdp_restore_start(session, tb_str_of(saved), deadline_ms);
    }
    return saved != NULL;
}

static void end(struct tb_cdp_keeper *keeper, const struct tb_err *err)
{
    struct tb_cdp_keep *keep = keep_of(keeper);
    tb_cdp_saver_end(keep->saver, err);
    tb_cdp_restore_drop(keep);
}

static void cut(struct tb_cdp_keeper *keeper)
{
    tb_cdp_restore_cut(keep_of(keeper));
}

static void keep_free(struct tb_cdp_keeper *keeper)
{
    struct tb_cdp_keep *keep = keep_of(keeper);
    end(keeper, NULL);
    tb_free(keep->saved);
    tb_free(keep->missing);
    tb_free(keep);
}

static const struct tb_cdp_keeper_ops ops = {.seated = seated,
                                             .cut = cut,
                                             .end = end,
                                             .free = keep_free};

struct tb_cdp_keeper *tb_cdp_keep_new(struct tb_str saved)
{
    struct tb_cdp_keep *keep = TB_NEW(struct tb_cdp_keep);
    keep->keeper.ops = &ops;
    keep->saved = saved.len ? tb_str_dup(saved) : NULL;
    return &keep->keeper;
}

struct tb_restored tb_cdp_keep_restored(struct tb_driver_session *session)
{
    const struct tb_cdp_keep *keep = tb_cdp_keep_of(session);
    return (struct tb_restored){keep->missing, keep->typed_lost, session->use.last_ref};
}
