/* SPDX-License-Identifier: Apache-2.0 */
#include "support/audited.h"

#include "base/mem.h"

int audited_start(void **state)
{
    struct audited *audited = TB_NEW(struct audited);
    void *rig = NULL;
    rig_setup(&rig);
    audited->rig = rig;
    kept_init(&audited->kept);
    audited->kept.loop = audited->rig->core.loop;
    audited->rig->core.store = (struct tb_store){&kept_store_kind, &audited->kept};
    audited->audit = tb_audit_new(&audited->rig->core);
    *state = audited;
    return 0;
}

int audited_stop(void **state)
{
    struct audited *audited = *state;
    void *rig = audited->rig;
    rig_stop(audited->rig);
    tb_audit_free(audited->audit);
    rig_teardown(&rig);
    kept_fini(&audited->kept);
    tb_free(audited);
    return 0;
}
