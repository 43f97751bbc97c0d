/* SPDX-License-Identifier: Apache-2.0 */
#include "core/reasons.h"

#include "base/err.h"

static const struct {
    const char *wire;
    bool expired;
    const char *words;
    const char *after;
} reasons[TB_END_COUNT] = {
#define TB_REASON(NAME, wire, expired, words, after) {wire, expired, words, after},
#include "core/reasons.def"
#undef TB_REASON
};

const char *tb_end_reason_name(enum tb_end_reason reason)
{
    return reasons[reason].wire;
}

const char *tb_end_reason_words(enum tb_end_reason reason)
{
    return reasons[reason].words;
}

int tb_end_reason_code(enum tb_end_reason reason)
{
    bool stopped = reason == TB_END_USER_STOPPED || reason == TB_END_GLOBAL_STOP;
    return stopped ? TB_E_SESSION_STOPPED : TB_E_SESSION_ENDED;
}

int tb_end_reason_loss_code(enum tb_end_reason reason)
{
    return reason == TB_END_BROWSER_CRASHED ? TB_E_BROWSER_CRASHED : tb_end_reason_code(reason);
}

const char *tb_end_reason_after(enum tb_end_reason reason)
{
    return reasons[reason].after;
}

bool tb_end_reason_find(struct tb_str name, enum tb_end_reason *ret_reason)
{
    for (int reason = 0; reason < TB_END_COUNT; reason++) {
        if (tb_str_eq_cstr(name, reasons[reason].wire)) {
            *ret_reason = (enum tb_end_reason)reason;
            return true;
        }
    }
    return false;
}

bool tb_end_reason_expired(enum tb_end_reason reason)
{
    return reasons[reason].expired;
}
