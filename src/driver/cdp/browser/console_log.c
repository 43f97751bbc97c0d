/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/console_log.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"

enum {
    TEXT_MAX = 1000,
    URL_MAX = 300,
    EVENT_MAX = 256 * 1024, /* a larger one is noted without its content */
};

/* The year 9999: what a browser says beyond it is no time. */
static const double TIME_MAX_MS = 253402300799999.0;

struct message {
    struct tb_list link;
    enum tb_cdp_console_level level;
    char *text;
    char *page;
    char *url; /* NULL: none */
    int64_t line;
    int64_t time_ms; /* of the last of them; 0: not known */
    int64_t count;   /* the same again and again */
};

/* Where and when an event came. */
struct origin {
    struct tb_str page;
    int64_t time_ms;
};

static const char *const level_words[] = {"error", "warning", "info", "debug"};

static size_t size_of(const struct message *message)
{
    return strlen(message->text) + strlen(message->page) +
           (message->url ? strlen(message->url) : 0);
}

static void drop(struct tb_cdp_console_log *log, struct message *message)
{
    log->count--;
    log->bytes -= size_of(message);
    tb_list_remove(&message->link);
    tb_free(message->text);
    tb_free(message->page);
    tb_free(message->url);
    tb_free(message);
}

static struct message *message_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct message, link);
}

void tb_cdp_console_log_init(struct tb_cdp_console_log *log)
{
    *log = (struct tb_cdp_console_log){.count = 0};
    tb_list_init(&log->messages);
}

void tb_cdp_console_log_clear(struct tb_cdp_console_log *log)
{
    while (!tb_list_empty(&log->messages)) {
        drop(log, message_of(log->messages.next));
    }
}

void tb_cdp_console_log_fini(struct tb_cdp_console_log *log)
{
    if (log->messages.next) {
        tb_cdp_console_log_clear(log);
    }
}

static char *shorten(struct tb_str text, size_t max)
{
    struct tb_str cut = tb_str_sub(text, 0, max);
    cut.len = tb_utf8_prefix(cut);
    return tb_str_dup(cut);
}

static bool is_same(const struct message *a, const struct message *b)
{
    bool urls = (!a->url && !b->url) || (a->url && b->url && strcmp(a->url, b->url) == 0);
    return urls && a->level == b->level && a->line == b->line && strcmp(a->text, b->text) == 0 &&
           strcmp(a->page, b->page) == 0;
}

static void add(struct tb_cdp_console_log *log, const struct origin *origin,
                enum tb_cdp_console_level level, struct tb_str text, struct tb_str url,
                int64_t line)
{
    struct message *message = TB_NEW(struct message);
    message->level = level;
    message->text = shorten(text, TEXT_MAX);
    message->page = shorten(origin->page, URL_MAX);
    message->time_ms = origin->time_ms;
    message->url = url.len ? shorten(url, URL_MAX) : NULL;
    message->line = line;
    message->count = 1;
    log->errors += level == TB_CONSOLE_ERROR;
    struct message *last = tb_list_empty(&log->messages) ? NULL : message_of(log->messages.prev);
    log->count++;
    log->bytes += size_of(message);
    tb_list_append(&log->messages, &message->link);
    if (last && is_same(last, message)) {
        last->count++;
        last->time_ms = message->time_ms;
        drop(log, message);
    }
    while (log->count > TB_CONSOLE_MESSAGES || log->bytes > TB_CONSOLE_BYTES) {
        drop(log, message_of(log->messages.next));
    }
}

static bool is_at(const struct cJSON *json, const char *key, const char *word)
{
    return tb_str_eq_cstr(tb_json_text(json, key), word);
}

/* One of the first members of an object; in an array without its name. */
static void put_member(const struct cJSON *member, bool named, struct tb_buf *out)
{
    const char *quote = is_at(member, "type", "string") ? "'" : "";
    if (named) {
        tb_buf_append_str(out, tb_str_sub(tb_json_text(member, "name"), 0, TEXT_MAX));
        tb_buf_append_cstr(out, ": ");
    }
    tb_buf_append_cstr(out, quote);
    tb_buf_append_str(out, tb_str_sub(tb_json_text(member, "value"), 0, TEXT_MAX));
    tb_buf_append_cstr(out, quote);
}

/* {a: 1, b: 'x', …}: the members that the browser sends along. False: there are none to show. */
static bool put_preview(const struct cJSON *preview, struct tb_buf *out)
{
    bool array = is_at(preview, "subtype", "array");
    bool more = false;
    if (!preview || (tb_json_get(preview, "subtype") && !array)) {
        return false; /* an error, a date, an element: its description is the better word */
    }
    if (!array && !is_at(preview, "description", "Object")) {
        tb_buf_append_str(out, tb_str_sub(tb_json_text(preview, "description"), 0, TEXT_MAX));
        tb_buf_append_char(out, ' ');
    }
    const char *before = array ? "[" : "{";
    tb_json_bool(tb_json_get(preview, "overflow"), &more);
    JSON_ARRAY_FOREACH(member, tb_json_get(preview, "properties")) {
        tb_buf_append_cstr(out, before);
        put_member(member, !array, out);
        before = ", ";
    }
    tb_buf_append_cstr(out, *before == ',' ? "" : before);
    tb_buf_append_cstr(out, more ? ", …" : "");
    tb_buf_append_char(out, array ? ']' : '}');
    return true;
}

/* A string as it is, other values as JSON, objects by their members or what they are called. */
static void put_value(const struct cJSON *arg, struct tb_buf *out)
{
    const struct cJSON *value = tb_json_get(arg, "value");
    struct tb_str text;
    if (tb_json_str(value, &text)) {
        tb_buf_append_str(out, tb_str_sub(text, 0, TEXT_MAX));
    } else if (value) {
        tb_json_print(value, out);
    } else if (!put_preview(tb_json_get(arg, "preview"), out)) {
        text = tb_json_text(arg, "description");
        tb_buf_append_str(out,
                          text.len ? tb_str_sub(text, 0, TEXT_MAX) : tb_json_text(arg, "type"));
    }
}

enum tb_cdp_console_level tb_cdp_console_level_of(struct tb_str word)
{
    for (int i = 0; i < (int)TB_COUNT(level_words); i++) {
        if (tb_str_eq_cstr(word, level_words[i])) {
            return (enum tb_cdp_console_level)i;
        }
    }
    return TB_CONSOLE_DEBUG;
}

static enum tb_cdp_console_level level_of_type(struct tb_str type)
{
    static const struct {
        const char *type;
        enum tb_cdp_console_level level;
    } rows[] = {
        {"error", TB_CONSOLE_ERROR}, {"assert", TB_CONSOLE_ERROR},  {"warning", TB_CONSOLE_WARNING},
        {"debug", TB_CONSOLE_DEBUG}, {"verbose", TB_CONSOLE_DEBUG}, {"trace", TB_CONSOLE_DEBUG},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (tb_str_eq_cstr(type, rows[i].type)) {
            return rows[i].level;
        }
    }
    return TB_CONSOLE_INFO;
}

static int64_t line_at(const struct cJSON *json)
{
    int64_t line = -1;
    tb_json_int(tb_json_get(json, "lineNumber"), &line);
    return line + 1;
}

static void on_called(struct tb_cdp_console_log *log, const struct origin *origin,
                      const struct cJSON *params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(EVENT_MAX);
    JSON_ARRAY_FOREACH(arg, tb_json_get(params, "args")) {
        if (text.len) {
            tb_buf_append_char(&text, ' ');
        }
        put_value(arg, &text);
    }
    const struct cJSON *frame =
        tb_json_first(tb_json_get(tb_json_get(params, "stackTrace"), "callFrames"));
    add(log, origin, level_of_type(tb_json_text(params, "type")), tb_buf_str(&text),
        tb_json_text(frame, "url"), line_at(frame));
}

static void on_thrown(struct tb_cdp_console_log *log, const struct origin *origin,
                      const struct cJSON *params)
{
    const struct cJSON *details = tb_json_get(params, "exceptionDetails");
    struct tb_str text = tb_json_text(tb_json_get(details, "exception"), "description");
    add(log, origin, TB_CONSOLE_ERROR, text.len ? text : tb_json_text(details, "text"),
        tb_json_text(details, "url"), line_at(details));
}

static void on_entry(struct tb_cdp_console_log *log, const struct origin *origin,
                     const struct cJSON *params)
{
    const struct cJSON *entry = tb_json_get(params, "entry");
    add(log, origin, level_of_type(tb_json_text(entry, "level")), tb_json_text(entry, "text"),
        tb_json_text(entry, "url"), line_at(entry));
}

static int64_t time_at(const struct cJSON *params)
{
    const struct cJSON *entry = tb_json_get(params, "entry");
    double ms = 0;
    tb_json_num(tb_json_get(entry ? entry : params, "timestamp"), &ms);
    return ms > 0 && ms < TIME_MAX_MS ? (int64_t)ms : 0;
}

void tb_cdp_console_log_on_event(struct tb_cdp_console_log *log, struct tb_str page,
                                 struct tb_str method, struct tb_str params)
{
    static const struct {
        const char *method;
        void (*fn)(struct tb_cdp_console_log *log, const struct origin *origin,
                   const struct cJSON *params);
    } handlers[] = {
        {"Runtime.consoleAPICalled", on_called},
        {"Runtime.exceptionThrown", on_thrown},
        {"Log.entryAdded", on_entry},
    };
    for (size_t i = 0; i < TB_COUNT(handlers); i++) {
        if (!tb_str_eq_cstr(method, handlers[i].method)) {
            continue;
        }
        struct origin origin = {.page = page};
        if (params.len > EVENT_MAX) {
            add(log, &origin, TB_CONSOLE_INFO, TB_STR("(a message too large to keep)"),
                (struct tb_str){NULL, 0}, 0);
            return;
        }
        TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
        origin.time_ms = time_at(json);
        handlers[i].fn(log, &origin, json);
        return;
    }
}

static bool fits(const struct message *message, enum tb_cdp_console_level level, struct tb_str find)
{
    return message->level <= level &&
           (!find.len || memmem(message->text, strlen(message->text), find.ptr, find.len));
}

static struct cJSON *as_json(const struct message *message)
{
    struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "level", level_words[message->level]);
    tb_json_set_cstr(json, "text", message->text);
    if (message->page[0]) {
        tb_json_set_cstr(json, "page", message->page);
    }
    if (message->time_ms) {
        char iso[TB_CLOCK_ISO_SIZE];
        tb_clock_iso(message->time_ms, iso);
        tb_json_set_cstr(json, "time", iso);
    }
    if (message->url) {
        tb_json_set_cstr(json, "url", message->url);
    }
    if (message->line > 0) {
        tb_json_set_int(json, "line", message->line);
    }
    tb_json_set_int(json, "count", message->count);
    return json;
}

size_t tb_cdp_console_log_list(const struct tb_cdp_console_log *log,
                               enum tb_cdp_console_level level, struct tb_str find, size_t limit,
                               struct cJSON *ret_array)
{
    size_t total = 0;
    LIST_FOREACH(link, &log->messages) {
        total += fits(message_of(link), level, find);
    }
    size_t skip = total > limit ? total - limit : 0;
    LIST_FOREACH(link, &log->messages) {
        const struct message *message = message_of(link);
        if (!fits(message, level, find)) {
            continue;
        }
        if (skip) {
            skip--;
        } else {
            tb_json_append_take(ret_array, as_json(message));
        }
    }
    return total;
}
