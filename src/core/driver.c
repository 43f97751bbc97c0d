/* SPDX-License-Identifier: Apache-2.0 */
#include "core/driver.h"

#include "base/buf.h"
#include "core/core.h"

enum {
    OFFERED_MAX = 512, /* the names of all kinds, providers or engines */
};

const struct tb_driver_slot *tb_driver_named(const struct tb_core *core, struct tb_str name)
{
    for (size_t i = 0; i < TB_DRIVERS_MAX && core->drivers[i].driver; i++) {
        if (tb_str_eq_cstr(name, core->drivers[i].driver->name)) {
            return &core->drivers[i];
        }
    }
    return NULL;
}

/* Finding a driver by what it offers. */

/* How far an offer is looked at. */
enum part {
    KIND,
    PROVIDER,
    ENGINE,
};

static bool fits(const struct tb_offer *row, const struct tb_offer *wanted, enum part part)
{
    return part == ENGINE
               ? tb_offer_serves(row, wanted)
               : row->kind == wanted->kind && (part == KIND || row->provider == wanted->provider);
}

static const struct tb_driver_slot *find(const struct tb_core *core, const struct tb_offer *wanted,
                                         enum part part)
{
    for (size_t i = 0; i < TB_DRIVERS_MAX && core->drivers[i].driver; i++) {
        const struct tb_offer *row = core->drivers[i].driver->offers;
        for (; row && row->kind != TB_KIND_COUNT; row++) {
            if (fits(row, wanted, part)) {
                return &core->drivers[i];
            }
        }
    }
    return NULL;
}

/* Appends what this part can be, with the parts before it as they are wanted: "local, cdp". */
static void list(const struct tb_core *core, struct tb_offer wanted, enum part part,
                 struct tb_buf *out)
{
    static const int counts[] = {TB_KIND_COUNT, TB_PROVIDER_COUNT, TB_ENGINE_COUNT};
    for (int i = 0; i < counts[part]; i++) {
        const char *name;
        if (part == KIND) {
            wanted.kind = (enum tb_session_kind)i;
            name = tb_session_kind_name(wanted.kind);
        } else if (part == PROVIDER) {
            wanted.provider = (enum tb_provider)i;
            name = tb_provider_name(wanted.provider);
        } else {
            wanted.engine = (enum tb_engine)i;
            name = tb_engine_name(wanted.engine);
        }
        if (find(core, &wanted, part)) {
            tb_buf_printf(out, "%s%s", out->len ? ", " : "", name);
        }
    }
}

/* Says which part of it there is not, and what can stand in its place. */
static int refuse(const struct tb_core *core, const struct tb_offer *wanted, struct tb_err *err)
{
    static const struct {
        int code;
        const char *words;
    } absent[] = {
#define TB_KIND(NAME, name, error, words) {error, words},
#define TB_KIND_GUEST                     TB_KIND
#include "core/offers.def"
    };
    TB_AUTO(tb_buf_fini) struct tb_buf names = TB_BUF(OFFERED_MAX);
    const char *kind = tb_session_kind_name(wanted->kind);
    const char *provider = tb_provider_name(wanted->provider);
    if (!find(core, wanted, KIND)) {
        list(core, *wanted, KIND, &names);
        return tb_fail(err, absent[wanted->kind].code, "%s%s%.*s", absent[wanted->kind].words,
                       names.len ? "; kind can only be " : "", TB_STR_ARG(tb_buf_str(&names)));
    }
    if (!find(core, wanted, PROVIDER)) {
        list(core, *wanted, PROVIDER, &names);
        return tb_fail(err, TB_E_NOT_POSSIBLE,
                       "kind %s is not available from provider %s; provider can only be %.*s", kind,
                       provider, TB_STR_ARG(tb_buf_str(&names)));
    }
    list(core, *wanted, ENGINE, &names);
    return tb_fail(err, TB_E_NOT_POSSIBLE,
                   "kind %s from provider %s is not available with engine %s; engine can only be "
                   "%.*s",
                   kind, provider, tb_engine_name(wanted->engine), TB_STR_ARG(tb_buf_str(&names)));
}

int tb_driver_find(const struct tb_core *core, const struct tb_offer *wanted,
                   const struct tb_driver_slot **ret_slot, struct tb_err *err)
{
    const struct tb_driver_slot *slot = find(core, wanted, ENGINE);
    if (!slot) {
        return refuse(core, wanted, err);
    }
    *ret_slot = slot;
    return 0;
}

int tb_driver_check_op(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                       struct tb_err *err)
{
    const struct tb_driver_slot *slot = find(core, &tb_offer_usual, ENGINE);
    return slot && slot->driver->check_op ? slot->driver->check_op(core, kind, args, err) : 0;
}
