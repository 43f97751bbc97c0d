/* SPDX-License-Identifier: Apache-2.0 */
/* What the pages of a session wrote to their consoles, the newest of it: messages of scripts,
 * exceptions that nobody caught, and what the browser itself had to say. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/list.h"
#include "base/str.h"

enum {
    TB_CONSOLE_MESSAGES = 200,
    TB_CONSOLE_BYTES = 32 * 1024, /* of all texts together */
};

/* From worst to least. */
enum tb_cdp_console_level {
    TB_CONSOLE_ERROR,
    TB_CONSOLE_WARNING,
    TB_CONSOLE_INFO,
    TB_CONSOLE_DEBUG,
};

struct tb_cdp_console_log {
    struct tb_list messages;
    size_t count;
    size_t bytes;
    uint64_t errors; /* ever */
};

void tb_cdp_console_log_init(struct tb_cdp_console_log *log);
void tb_cdp_console_log_fini(struct tb_cdp_console_log *log);
void tb_cdp_console_log_clear(struct tb_cdp_console_log *log);
/* Takes Runtime.consoleAPICalled, Runtime.exceptionThrown and Log.entryAdded; others are passed
 * over. `page` is the address of the tab that it comes from. */
void tb_cdp_console_log_on_event(struct tb_cdp_console_log *log, struct tb_str page,
                                 struct tb_str method, struct tb_str params);
/* "error" and so on; unknown words mean debug. */
enum tb_cdp_console_level tb_cdp_console_level_of(struct tb_str word);
/* The newest `limit` messages of this level or worse that contain `find`, oldest first, as an array
 * of objects; gives how many fit in all. */
size_t tb_cdp_console_log_list(const struct tb_cdp_console_log *log,
                               enum tb_cdp_console_level level, struct tb_str find, size_t limit,
                               struct cJSON *ret_array);
