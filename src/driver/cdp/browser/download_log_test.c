/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/download_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/limits.h"
#include "driver/files_rig.h"

#include "support/temp_dir.h"

static void feed_by(struct tb_cdp_download_log *log, const struct tb_cdp_download_rules *rules,
                    const char *method, const char *params)
{
    tb_cdp_download_log_on_event(log, rules, tb_str_of(method), tb_str_of(params));
}

static void feed(struct tb_cdp_download_log *log, const char *directory, const char *method,
                 const char *params)
{
    struct tb_files_folder folder = folder_at(directory ? directory : "");
    feed_by(log, &(struct tb_cdp_download_rules){.folder = directory ? &folder : NULL}, method,
            params);
}

static void a_download_is_named_when_it_is_whole(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    struct tb_cdp_download_log log;
    tb_cdp_download_log_init(&log);
    assert_int_equal(tb_files_write(&folder, "guid-1", TB_STR("hello"), NULL), 0);
    feed(&log, directory, "Page.downloadWillBegin",
         "{\"guid\":\"guid-1\",\"url\":\"http://x/f\",\"suggestedFilename\":\"../f.bin\"}");
    assert_true(tb_cdp_download_log_busy(&log));
    feed(&log, directory, "Page.downloadProgress",
         "{\"guid\":\"guid-1\",\"totalBytes\":5,\"receivedBytes\":3,\"state\":\"inProgress\"}");
    feed(&log, directory, "Page.downloadProgress",
         "{\"guid\":\"guid-1\",\"totalBytes\":5,\"receivedBytes\":5,\"state\":\"completed\"}");
    assert_false(tb_cdp_download_log_busy(&log));
    assert_true(tb_files_has(&folder, "_f.bin"));
    feed(&log, directory, "Page.downloadWillBegin",
         "{\"guid\":\"guid-2\",\"url\":\"http://x/g\",\"suggestedFilename\":\"g\"}");
    feed(&log, directory, "Page.downloadProgress", "{\"guid\":\"guid-2\",\"state\":\"canceled\"}");
    feed(&log, NULL, "Page.downloadWillBegin",
         "{\"guid\":\"guid-3\",\"url\":\"http://x/h\",\"suggestedFilename\":\"h\"}");
    struct cJSON *data = tb_json_new_object();
    struct tb_buf out;
    tb_buf_init(&out, 4096);
    tb_cdp_download_log_since(&log, 1, data);
    tb_json_print(data, &out);
    tb_buf_append_char(&out, '\0');
    assert_string_equal((const char *)out.data,
                        "{\"downloads\":[{\"file\":\"g\",\"state\":\"failed\"},{\"file\":\"h\","
                        "\"state\":\"refused\",\"reason\":\"" TB_DOWNLOADS_OFF
                        "\",\"off\":true}]}");
    tb_buf_fini(&out);
    tb_json_free(data);
    data = tb_cdp_download_log_list(&log, directory);
    struct tb_str path;
    assert_true(tb_json_str(tb_json_get(tb_json_first(data), "path"), &path));
    tb_json_free(data);
    tb_cdp_download_log_fini(&log);
}

/* What the log asked for. */
static bool is_text(const struct cJSON *json, const char *key, const char *text)
{
    struct tb_str value;
    return tb_json_str(tb_json_get(json, key), &value) && tb_str_eq_cstr(value, text);
}

static void what_was_downloaded_is_known_again(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    static const char *const states[] = {"done", "lost", "refused", "lost"};
    static const char *const begun[] = {"whole.bin", "half.bin", "refused.bin", "gone.bin"};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(8192);
    struct tb_cdp_download_log log;
    tb_cdp_download_log_init(&log);
    for (size_t i = 0; i < TB_COUNT(begun); i++) {
        char params[200];
        snprintf(params, sizeof(params),
                 "{\"guid\":\"g%zu\",\"url\":\"http://a/\",\"suggestedFilename\":\"%s\"}", i,
                 begun[i]);
        feed(&log, i == 2 ? NULL : directory, "Page.downloadWillBegin", params);
        snprintf(params, sizeof(params), "g%zu", i);
        assert_int_equal(tb_files_write(&folder, params, TB_STR("12345"), NULL), 0);
    }
    feed(&log, directory, "Browser.downloadProgress",
         "{\"guid\":\"g0\",\"receivedBytes\":5,\"totalBytes\":5,\"state\":\"completed\"}");
    feed(&log, directory, "Browser.downloadProgress",
         "{\"guid\":\"g3\",\"receivedBytes\":5,\"totalBytes\":5,\"state\":\"completed\"}");
    tb_files_delete(&folder, "gone.bin");
    assert_true(log.changed);
    tb_cdp_download_log_write(&log, &text);
    tb_cdp_download_log_fini(&log);

    tb_cdp_download_log_init(&log);
    tb_cdp_download_log_recall(&log, &folder, tb_buf_str(&text));
    tb_cdp_download_log_recall(
        &log, &folder, TB_STR("{\"downloads\":[{\"guid\":\"../x\",\"file\":\"/etc/passwd\"},1]}"));
    struct cJSON *list = tb_cdp_download_log_list(&log, directory);
    size_t i = 0;
    JSON_ARRAY_FOREACH(json, list) {
        assert_true(is_text(json, "file", begun[i]));
        assert_true(is_text(json, "state", states[i]));
        i++;
    }
    assert_int_equal(i, 4);
    assert_false(tb_files_has(&folder, "g1"));
    tb_json_free(list);
    tb_cdp_download_log_fini(&log);
}

struct asked {
    char cancelled[64];
    char done[64];
    int64_t bytes;
};

static void on_cancel(const char *guid, void *owner)
{
    struct asked *asked = owner;
    snprintf(asked->cancelled, sizeof(asked->cancelled), "%s", guid);
}

static void on_done(const char *file, const char *url, int64_t bytes, void *owner)
{
    struct asked *asked = owner;
    assert_string_equal(url, "http://x/f?q");
    snprintf(asked->done, sizeof(asked->done), "%s", file);
    asked->bytes = bytes;
}

static void begin(struct tb_cdp_download_log *log, struct asked *asked)
{
    *asked = (struct asked){.bytes = 0};
    tb_cdp_download_log_init(log);
    log->cancel = on_cancel;
    log->done = on_done;
    log->owner = asked;
}

static void expect_last(const struct tb_cdp_download_log *log, const char *state,
                        const char *reason)
{
    struct cJSON *list = tb_cdp_download_log_list(log, NULL);
    const struct cJSON *last = NULL;
    JSON_ARRAY_FOREACH(each, list) {
        last = each;
    }
    struct tb_str text = TB_STR("");
    assert_true(tb_json_str(tb_json_get(last, "state"), &text));
    assert_true(tb_str_eq_cstr(text, state));
    text = TB_STR("");
    tb_json_str(tb_json_get(last, "reason"), &text);
    assert_non_null(memmem(text.ptr, text.len, reason, strlen(reason)));
    tb_json_free(list);
}

#define BEGIN(guid) "{\"guid\":\"" guid "\",\"url\":\"http://x/f?q\",\"suggestedFilename\":\"f\"}"
#define PROGRESS(guid, bytes, state) \
    "{\"guid\":\"" guid "\",\"totalBytes\":0,\"receivedBytes\":" bytes ",\"state\":\"" state "\"}"

static void a_guid_that_is_no_plain_name_is_passed_over(void **state)
{
    static const char *const bad[] = {BEGIN("../x"), BEGIN("/etc/passwd"), BEGIN(".."), BEGIN(""),
                                      BEGIN("a\\\"b")};
    struct asked asked;
    struct tb_cdp_download_log log;
    begin(&log, &asked);
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        feed(&log, *state, "Page.downloadWillBegin", bad[i]);
        assert_int_equal(log.begun, 0);
    }
    tb_cdp_download_log_fini(&log);
}

static void a_download_over_a_ceiling_is_ended_and_says_which(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    struct tb_cdp_download_rules rules = {
        .folder = &folder, .file_max_bytes = 100, .all_max_bytes = 150};
    struct asked asked;
    struct tb_cdp_download_log log;
    begin(&log, &asked);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g1"));
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g1", "100", "inProgress"));
    assert_string_equal(asked.cancelled, "");
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g1", "101", "inProgress"));
    assert_string_equal(asked.cancelled, "g1");
    expect_last(&log, "refused", "browser.download_max_bytes");
    assert_false(tb_cdp_download_log_busy(&log));
    /* One that was whole at once is not kept either. */
    assert_int_equal(tb_files_write(&folder, "g2", TB_STR("x"), NULL), 0);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g2"));
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g2", "500", "completed"));
    assert_false(tb_files_has(&folder, "g2"));
    assert_false(tb_files_has(&folder, "f"));
    assert_int_equal(tb_files_write(&folder, "g3", TB_STR("x"), NULL), 0);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g3"));
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g3", "90", "completed"));
    assert_string_equal(asked.done, "f");
    assert_int_equal(asked.bytes, 90);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g4"));
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g4", "61", "inProgress"));
    assert_string_equal(asked.cancelled, "g4");
    expect_last(&log, "refused", "browser.downloads_max_bytes");
    rules.room_min_bytes = INT64_MAX;
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g5"));
    assert_string_equal(asked.cancelled, "g5");
    expect_last(&log, "refused", "browser.downloads_room_min_bytes");
    tb_cdp_download_log_fini(&log);
}

/* The log of the same session in its next browser. */
static void begin_again(struct tb_cdp_download_log *log, struct asked *asked,
                        const struct tb_files_folder *folder)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    tb_cdp_download_log_write(log, &text);
    tb_cdp_download_log_fini(log);
    begin(log, asked);
    tb_cdp_download_log_recall(log, folder, tb_buf_str(&text));
}

static void ceilings_hold_over_the_loss_of_a_browser(void **state)
{
    const struct tb_files_folder folder = folder_at(*state);
    struct tb_cdp_download_rules rules = {.folder = &folder, .all_max_bytes = 1100};
    struct asked asked;
    struct tb_cdp_download_log log;
    char params[200];
    begin(&log, &asked);
    /* More than have records, of 10 bytes each. */
    for (int i = 0; i < TB_DOWNLOADS_KEPT + 9; i++) {
        snprintf(params, sizeof(params), "g%d", i);
        assert_int_equal(tb_files_write(&folder, params, TB_STR("x"), NULL), 0);
        snprintf(params, sizeof(params),
                 "{\"guid\":\"g%d\",\"url\":\"http://x/f?q\",\"suggestedFilename\":\"f\"}", i);
        feed_by(&log, &rules, "Page.downloadWillBegin", params);
        snprintf(params, sizeof(params),
                 "{\"guid\":\"g%d\",\"receivedBytes\":10,\"state\":\"completed\"}", i);
        feed_by(&log, &rules, "Page.downloadProgress", params);
    }
    begin_again(&log, &asked, &folder);
    assert_int_equal(log.begun, TB_DOWNLOADS_KEPT + 9);
    assert_int_equal(log.listed, log.begun);
    begin_again(&log, &asked, &folder);
    assert_int_equal(tb_cdp_download_log_admit(&log, &rules, 0, 10, NULL), 0);
    assert_int_equal(tb_cdp_download_log_admit(&log, &rules, 0, 11, NULL), TB_E_TOO_LARGE);
    log.begun = TB_DOWNLOADS_MAX;
    begin_again(&log, &asked, &folder);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("one-more"));
    expect_last(&log, "refused", "limit of 1000 downloads");
    /* Whoever wrote sums that cannot be gains nothing. */
    tb_cdp_download_log_recall(&log, &folder,
                               TB_STR("{\"begun\":-1,\"unlisted_bytes\":-10000,\"downloads\":3}"));
    assert_int_equal(tb_cdp_download_log_admit(&log, &rules, 0, 11, NULL), TB_E_TOO_LARGE);
    assert_int_equal(log.begun, TB_DOWNLOADS_MAX + 1);
    tb_cdp_download_log_fini(&log);
}

static void begin_many(struct tb_cdp_download_log *log, const struct tb_cdp_download_rules *rules,
                       const char *name, int count, bool whole)
{
    char params[200];
    for (int i = 0; i < count; i++) {
        snprintf(params, sizeof(params),
                 "{\"guid\":\"%s%d\",\"url\":\"http://x/f?q\",\"suggestedFilename\":\"f\"}", name,
                 i);
        feed_by(log, rules, "Page.downloadWillBegin", params);
        snprintf(params, sizeof(params), "{\"guid\":\"%s%d\",\"receivedBytes\":0,\"state\":\"%s\"}",
                 name, i, whole ? "canceled" : "inProgress");
        feed_by(log, rules, "Page.downloadProgress", params);
    }
}

static void a_download_that_runs_is_never_lost_sight_of(void **state)
{
    const struct tb_files_folder folder = folder_at(*state);
    struct tb_cdp_download_rules rules = {.folder = &folder, .file_max_bytes = 100};
    struct asked asked;
    struct tb_cdp_download_log log;
    begin(&log, &asked);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("endless"));
    begin_many(&log, &rules, "small", TB_DOWNLOADS_KEPT + 5, true);
    assert_int_equal(log.count, TB_DOWNLOADS_KEPT);
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("endless", "101", "inProgress"));
    assert_string_equal(asked.cancelled, "endless");

    begin_many(&log, &rules, "running", TB_DOWNLOADS_KEPT, false);
    assert_string_equal(asked.cancelled, "endless");
    begin_many(&log, &rules, "more", 3, false);
    assert_string_equal(asked.cancelled, "more2");
    expect_last(&log, "refused", "limit of 100 downloads at once");
    assert_int_equal(log.count, TB_DOWNLOADS_KEPT + 1);
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("running0", "101", "inProgress"));
    assert_string_equal(asked.cancelled, "running0");
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("last"));
    assert_string_equal(asked.cancelled, "running0");
    assert_int_equal(log.count, TB_DOWNLOADS_KEPT);
    tb_cdp_download_log_fini(&log);
}

/* FILE-1: a hostile browser swaps the directory. */
static void a_directory_that_was_replaced_gets_nothing(void **state)
{
    const char *directory = *state;
    char inside[128];
    char aside[128];
    snprintf(inside, sizeof(inside), "%s/files", directory);
    snprintf(aside, sizeof(aside), "%s/aside", directory);
    assert_int_equal(mkdir(inside, 0700), 0);
    const struct tb_files_folder folder = folder_at(inside);
    struct tb_cdp_download_rules rules = {.folder = &folder};
    struct asked asked;
    struct tb_cdp_download_log log;
    begin(&log, &asked);
    feed_by(&log, &rules, "Page.downloadWillBegin", BEGIN("g1"));
    assert_string_equal(asked.cancelled, "");
    assert_int_equal(rename(inside, aside), 0);
    assert_int_equal(symlink("/tmp", inside), 0);
    assert_false(tb_files_same(&folder));
    feed_by(&log, &rules, "Page.downloadProgress", PROGRESS("g1", "5", "completed"));
    assert_string_equal(asked.cancelled, "g1");
    assert_string_equal(asked.done, "");
    expect_last(&log, "refused", "replaced");
    unlink(inside);
    tb_cdp_download_log_fini(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEMP_DIR_TEST(a_download_is_named_when_it_is_whole),
        TEMP_DIR_TEST(a_guid_that_is_no_plain_name_is_passed_over),
        TEMP_DIR_TEST(a_download_over_a_ceiling_is_ended_and_says_which),
        TEMP_DIR_TEST(ceilings_hold_over_the_loss_of_a_browser),
        TEMP_DIR_TEST(a_download_that_runs_is_never_lost_sight_of),
        TEMP_DIR_TEST(a_directory_that_was_replaced_gets_nothing),
        TEMP_DIR_TEST(what_was_downloaded_is_known_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
