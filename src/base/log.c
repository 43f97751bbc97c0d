/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum {
    LINE_MAX_BYTES = 4096,
    VALUE_MAX_BYTES = 512,
};

static const char *const level_names[] = {"error", "warn", "info", "debug"};

static bool is_plain(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '=') {
            return false;
        }
    }
    return text.len > 0;
}

/* Other bytes than printable ASCII are escaped one by one: a log is read on terminals. */
static void put_quoted(struct tb_buf *line, struct tb_str text)
{
    tb_buf_append_char(line, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\') {
            tb_buf_printf(line, "\\%c", c);
        } else if (c == '\n') {
            tb_buf_append_cstr(line, "\\n");
        } else if (c < ' ' || c > '~') {
            tb_buf_printf(line, "\\x%02x", c);
        } else {
            tb_buf_append_char(line, (char)c);
        }
    }
    tb_buf_append_char(line, '"');
}

static void put_field(struct tb_buf *line, const struct tb_log_field *field)
{
    if (!field->text.ptr) {
        tb_buf_printf(line, " %s=%lld", field->key, (long long)field->number);
        return;
    }
    if (tb_buf_printf(line, " %s=", field->key) < 0) {
        return; /* without its key a value would read as part of the one before */
    }
    struct tb_str shown = tb_str_sub(field->text, 0, VALUE_MAX_BYTES);
    if (is_plain(shown)) {
        tb_buf_append_str(line, shown);
    } else {
        put_quoted(line, shown);
    }
    if (shown.len < field->text.len) {
        tb_buf_printf(line, "...(%zu bytes)", field->text.len);
    }
}

void tb_log_init(struct tb_log *log, enum tb_log_level level, int fd, const struct tb_clock *clock)
{
    *log = (struct tb_log){.level = level, .clock = clock};
    tb_sink_init(&log->sink, fd);
}

void tb_log_fini(struct tb_log *log)
{
    tb_sink_fini(&log->sink);
}

static void put_head(struct tb_buf *line, const struct tb_log *log, enum tb_log_level level,
                     const char *group, const char *message)
{
    char when[TB_CLOCK_ISO_SIZE];
    tb_clock_iso(tb_clock_wall_ms(log->clock), when);
    tb_buf_printf(line, "%s %-5s %-8s %s", when, level_names[level], group, message);
}

/* A log that cannot be written has nobody to tell, but a reader that was slow is told later. */
static bool write_line(const struct tb_log *log, struct tb_buf *line)
{
    line->max = LINE_MAX_BYTES;
    tb_buf_append_char(line, '\n');
    return tb_sink_write(&log->sink, line->data, line->len) != -EAGAIN;
}

static bool tell_dropped(struct tb_log *log)
{
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(LINE_MAX_BYTES - 1);
    const struct tb_log_field lines = tb_kv_int("lines", (int64_t)log->dropped);
    put_head(&line, log, TB_LOG_WARN, "log", "lines were dropped because nobody read them");
    put_field(&line, &lines);
    bool told = write_line(log, &line);
    log->dropped = told ? 0 : log->dropped;
    return told;
}

void tb_log_write(struct tb_log *log, enum tb_log_level level, const char *group,
                  const char *message, const struct tb_log_field *fields, size_t count)
{
    if (!log || level > log->level) {
        return;
    }
    /* The newline has its place whatever the rest needs. */
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(LINE_MAX_BYTES - 1);
    put_head(&line, log, level, group, message);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].key) {
            put_field(&line, &fields[i]);
        }
    }
    if ((log->dropped && !tell_dropped(log)) || !write_line(log, &line)) {
        log->dropped++;
    }
}

int tb_log_level_parse(struct tb_str name, enum tb_log_level *ret_level)
{
    for (size_t i = 0; i < TB_COUNT(level_names); i++) {
        if (tb_str_eq_cstr(name, level_names[i])) {
            *ret_level = (enum tb_log_level)i;
            return 0;
        }
    }
    return -EINVAL;
}
