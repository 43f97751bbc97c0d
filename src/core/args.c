/* SPDX-License-Identifier: Apache-2.0 */
#include "core/args.h"

struct tb_str tb_args_text(const struct cJSON *args, const char *name, const char *fallback)
{
    struct tb_str text = tb_str_of(fallback);
    tb_json_str(tb_json_get(args, name), &text);
    return text;
}

int64_t tb_args_int(const struct cJSON *args, const char *name, int64_t fallback)
{
    tb_json_int(tb_json_get(args, name), &fallback);
    return fallback;
}

double tb_args_num(const struct cJSON *args, const char *name, double fallback)
{
    tb_json_num(tb_json_get(args, name), &fallback);
    return fallback;
}

bool tb_args_flag(const struct cJSON *args, const char *name, bool fallback)
{
    tb_json_bool(tb_json_get(args, name), &fallback);
    return fallback;
}

bool tb_args_has(const struct cJSON *args, const char *name)
{
    return tb_json_get(args, name) != NULL;
}
