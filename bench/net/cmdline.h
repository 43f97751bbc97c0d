/* SPDX-License-Identifier: Apache-2.0 */
/* What all bench programs share: numbers from the command line and a way out with a message. */
#pragma once

#include <stdint.h>

/* Prints "program: words" to stderr and exits with 1. */
_Noreturn void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A whole number from `min` to `max`, or the program ends. */
uint64_t bench_number(const char *text, uint64_t min, uint64_t max);
/* Calls of libuv that only fail when the bench itself is wrong: ends the program if `rc` is
 * negative. */
void bench_uv(int rc, const char *what);
