/* SPDX-License-Identifier: Apache-2.0 */
/* The log: one line an event on stderr (stdout is the MCP wire).
 *   2026-01-31T12:00:00.000Z info  http     listening address=127.0.0.1:8765
 * Writing never waits: while nobody reads, lines are dropped and counted, and the count is the
 * first line when there is room again. Text values are quoted and escaped when they are not plain
 * words, and cut at a limit, so that nothing a peer sends can forge or flood a line. base, proto,
 * io, driver, store and tool log at debug only; core logs changes of state, front requests, daemon
 * the rest. Secrets and page content never enter the log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/sink.h"
#include "base/str.h"

enum tb_log_level {
    TB_LOG_ERROR,
    TB_LOG_WARN,
    TB_LOG_INFO,
    TB_LOG_DEBUG,
};

struct tb_log {
    enum tb_log_level level;
    struct tb_sink sink;
    const struct tb_clock *clock;
    uint64_t dropped; /* lines since the last that could be written */
};

struct tb_log_field {
    const char *key;
    struct tb_str text; /* used when ptr is set */
    int64_t number;
};

static inline struct tb_log_field tb_kv(const char *key, struct tb_str text)
{
    return (struct tb_log_field){key, {text.ptr ? text.ptr : "", text.len}, 0};
}

static inline struct tb_log_field tb_kv_cstr(const char *key, const char *text)
{
    return tb_kv(key, tb_str_of(text));
}

static inline struct tb_log_field tb_kv_int(const char *key, int64_t number)
{
    return (struct tb_log_field){key, {NULL, 0}, number};
}

/* The descriptor and the clock outlive the log. */
void tb_log_init(struct tb_log *log, enum tb_log_level level, int fd, const struct tb_clock *clock);
void tb_log_fini(struct tb_log *log);
/* Writes one line if the level is wanted. Fields without a key are passed over. */
void tb_log_write(struct tb_log *log, enum tb_log_level level, const char *group,
                  const char *message, const struct tb_log_field *fields, size_t count);
/* "error", "warn", "info", "debug"; -EINVAL for anything else. */
int tb_log_level_parse(struct tb_str name, enum tb_log_level *ret_level);

/* tb_log_at(log, INFO, "http", "listening", tb_kv_cstr("address", text)); */
#define tb_log_at(log, LEVEL, group, message, ...)                                            \
    tb_log_write((log), TB_LOG_##LEVEL, (group), (message),                                   \
                 (const struct tb_log_field[]){{NULL, {NULL, 0}, 0}, ##__VA_ARGS__},          \
                 sizeof((const struct tb_log_field[]){{NULL, {NULL, 0}, 0}, ##__VA_ARGS__}) / \
                     sizeof(struct tb_log_field))
