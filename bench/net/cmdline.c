/* SPDX-License-Identifier: Apache-2.0 */
#include "cmdline.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#include "base/str.h"

_Noreturn void bench_die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

uint64_t bench_number(const char *text, uint64_t min, uint64_t max)
{
    uint64_t value;
    if (!tb_str_to_u64(tb_str_of(text), &value) || value < min || value > max) {
        bench_die("'%s' is no number from %llu to %llu", text, (unsigned long long)min,
                  (unsigned long long)max);
    }
    return value;
}

void bench_uv(int rc, const char *what)
{
    if (rc < 0) {
        bench_die("%s: %s", what, uv_strerror(rc));
    }
}
