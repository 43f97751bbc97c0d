/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/buf.h"
#include "base/mem.h"
#include "driver/files_rig.h"

#include "support/temp_dir.h"

enum {
    RACES = 5000,
};

/* FILE-1 */
static void names_are_made_safe(void **state)
{
    static const struct {
        const char *given;
        const char *name;
        bool plain;
    } rows[] = {
        {"a.txt", "a.txt", true},
        {"a b (1).txt", "a b (1).txt", true},
        {"../../etc/passwd", "_.._etc_passwd", false},
        {"/etc/passwd", "_etc_passwd", false},
        {"..", "download", false},
        {".bashrc", "bashrc", false},
        {"", "download", false},
        {"  x  ", "x", true},
        {"a\\b:c*d?\"<>|", "a_b_c_d_____", false},
        {"a\nb\x7f", "a_b_", false},
        {"-rf", "rf", false},
        {"--.-.x", "x", false},
        {"a\xe2\x80\xaegpj.exe", "a_gpj.exe", false},
        {"a\xe2\x81\xa7"
         "b\xc2\x85"
         "c",
         "a_b_c", false},
        {"\xe2\x80\x8f.bashrc", "_.bashrc", false},
        {"\xe6\x97\xa5.pdf", "\xe6\x97\xa5.pdf", true},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char name[TB_FILE_NAME_SIZE];
        tb_files_name_clean(tb_str_of(rows[i].given), name);
        assert_string_equal(name, rows[i].name);
        assert_int_equal(tb_files_name_plain(tb_str_of(rows[i].given)), rows[i].plain);
        assert_true(tb_files_name_plain(tb_str_of(name)));
    }
    char longest[1000];
    char name[TB_FILE_NAME_SIZE];
    memset(longest, '\xc3', sizeof(longest));
    for (size_t i = 1; i < sizeof(longest); i += 2) {
        longest[i] = '\xa4';
    }
    tb_files_name_clean((struct tb_str){longest, sizeof(longest)}, name);
    assert_int_equal(strlen(name), 200);
    assert_false(tb_files_name_plain((struct tb_str){longest, sizeof(longest)}));
}

/* FILE-3 */
static void nothing_follows_a_link_out_of_the_directory(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    static const char *const ways[] = {"/tmp/tabard-files-target", "/etc/passwd",
                                       "/proc/self/environ", "/proc/self/root/etc/passwd"};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(4096);
    char path[128];
    struct tb_err err;
    struct stat info;
    snprintf(path, sizeof(path), "%s/link", directory);
    for (size_t i = 0; i < TB_COUNT(ways); i++) {
        unlink(path);
        assert_int_equal(symlink(ways[i], path), 0);
        assert_false(tb_files_has(&folder, "link"));
        assert_true(tb_files_read(&folder, "link", &text) < 0);
        assert_int_equal(text.len, 0);
    }
    assert_int_equal(tb_files_write(&folder, "link", TB_STR("x"), &err), 0);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(stat("/tmp/tabard-files-target", &info), -1);
    assert_true(tb_files_has(&folder, "link"));
    assert_false(tb_files_has(&folder, "nothing"));
}

/* Whatever umask the daemon has: the browser's user is to read what is written for it, and nobody
 * else. */
static void a_file_belongs_to_whom_its_directory_belongs_to(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    const uid_t owner = geteuid() == 0 ? 65534 : geteuid();
    char path[128];
    struct stat info;
    assert_int_equal(chown(directory, owner, (gid_t)-1), 0);
    mode_t before = umask(0);
    assert_int_equal(tb_files_write(&folder, "mine", TB_STR("x"), NULL), 0);
    umask(before);
    snprintf(path, sizeof(path), "%s/mine", directory);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, owner);
    assert_int_equal(info.st_mode & 07777, 0600);
}

/* FILE-3: what is no plain file would keep whoever reads it waiting, or never end. */
static void only_plain_files_are_files(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    char path[128];
    snprintf(path, sizeof(path), "%s/fifo", directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof(path), "%s/folder", directory);
    assert_int_equal(mkdir(path, 0700), 0);
    static const char *const names[] = {"fifo", "folder", ".", "..", "../passwd", "/etc/passwd"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        assert_false(tb_files_has(&folder, names[i]));
        assert_true(tb_files_read(&folder, names[i], &text) < 0);
    }
    assert_true(tb_files_write(&folder, "../outside", TB_STR("x"), NULL) < 0);
    assert_int_equal(text.len, 0);
}

static void another_directory_in_its_place_is_left_alone(void **state)
{
    const char *directory = *state;
    char inside[128];
    char aside[128];
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    char name[TB_FILE_NAME_SIZE] = "b";
    struct tb_err err;
    snprintf(inside, sizeof(inside), "%s/files", directory);
    snprintf(aside, sizeof(aside), "%s/aside", directory);
    assert_int_equal(mkdir(inside, 0700), 0);
    const struct tb_files_folder folder = folder_at(inside);
    assert_int_equal(tb_files_write(&folder, "a", TB_STR("x"), &err), 0);
    assert_int_equal(rename(inside, aside), 0);
    assert_int_equal(mkdir(inside, 0700), 0);
    const struct tb_files_folder other = folder_at(inside);
    assert_int_equal(tb_files_write(&other, "a", TB_STR("other"), &err), 0);
    assert_false(tb_files_same(&folder));
    assert_int_equal(tb_files_room(&folder), 0);
    assert_false(tb_files_has(&folder, "a"));
    assert_true(tb_files_read(&folder, "a", &text) < 0);
    assert_true(tb_files_write(&folder, "a", TB_STR("x"), &err) < 0);
    assert_true(tb_files_replace(&folder, "a", TB_STR("x")) < 0);
    assert_true(tb_files_rename(&folder, "a", name) < 0);
    tb_files_delete(&folder, "a");
    assert_int_equal(tb_files_size(&other, "a"), 5);
}

/* Exchanges the file, and its directory, for ways out, as fast as it can. */
struct racer {
    int root;
    int inside;
    atomic_bool over;
};

static void *race(void *user)
{
    struct racer *racer = user;
    while (!atomic_load(&racer->over)) {
        renameat2(racer->inside, "a", racer->root, "link", RENAME_EXCHANGE);
        renameat2(racer->root, "files", racer->root, "out", RENAME_EXCHANGE);
        renameat2(racer->inside, "a", racer->root, "link", RENAME_EXCHANGE);
        renameat2(racer->root, "files", racer->root, "out", RENAME_EXCHANGE);
    }
    return NULL;
}

/* FILE-3 */
static void whoever_exchanges_files_meanwhile_gains_nothing(void **state)
{
    const char *directory = *state;
    TB_AUTO(tb_free) char *inside = tb_strdupf("%s/files", directory);
    TB_AUTO(tb_free) char *outside = tb_strdupf("%s/outside", directory);
    TB_AUTO(tb_free) char *link = tb_strdupf("%s/link", directory);
    TB_AUTO(tb_free) char *way_out = tb_strdupf("%s/out", directory);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    assert_int_equal(mkdir(inside, 0700), 0);
    assert_int_equal(mkdir(outside, 0700), 0);
    const struct tb_files_folder folder = folder_at(inside);
    const struct tb_files_folder other = folder_at(outside);
    assert_int_equal(tb_files_write(&folder, "a", TB_STR("mine"), NULL), 0);
    assert_int_equal(tb_files_write(&other, "a", TB_STR("theirs"), NULL), 0);
    assert_int_equal(symlink("outside/a", link), 0);
    assert_int_equal(symlink("outside", way_out), 0);
    struct racer racer = {open(directory, O_RDONLY), open(inside, O_RDONLY), false};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, race, &racer), 0);
    int mine = 0;
    int others = 0;
    for (int i = 0; i < RACES; i++) {
        tb_buf_clear(&text);
        if (tb_files_read(&folder, "a", &text) == 0) {
            bool is_mine = tb_str_eq_cstr(tb_buf_str(&text), "mine");
            mine += is_mine;
            others += !is_mine;
        }
        tb_files_write(&folder, "b", TB_STR("b"), NULL);
    }
    atomic_store(&racer.over, true);
    pthread_join(thread, NULL);
    close(racer.inside);
    close(racer.root);
    assert_true(mine > 0 && mine < RACES); /* or there was no race */
    assert_int_equal(others, 0);
    assert_int_equal(tb_files_size(&other, "a"), 6);
    assert_false(tb_files_has(&other, "b"));
}

/* As Linux before 5.6, and as a container that forbids what it does not know. */
static int without_openat2(int error, const struct tb_files_folder *folder)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {TB_COUNT(code), code};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        return 2;
    }
    bool works = tb_files_write(folder, "a", TB_STR("x"), NULL) == 0 && tb_files_has(folder, "a");
    bool holds = !tb_files_has(folder, "link") && !tb_files_has(folder, "../link") &&
                 !tb_files_has(folder, "..") && tb_files_read(folder, "link", &text) < 0;
    return works && holds ? 0 : 1;
}

static void an_older_kernel_holds_too(void **state)
{
    const char *directory = *state;
    const struct tb_files_folder folder = folder_at(directory);
    static const int errors[] = {ENOSYS, EPERM};
    TB_AUTO(tb_free) char *link = tb_strdupf("%s/link", directory);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    for (size_t i = 0; i < TB_COUNT(errors); i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            _exit(without_openat2(errors[i], &folder));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void a_taken_name_gets_a_number(void **state)
{
    const struct tb_files_folder folder = folder_at(*state);
    static const char *const names[] = {"a.tar", "a (2).tar", "a (3).tar"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        char name[TB_FILE_NAME_SIZE] = "a.tar";
        assert_int_equal(tb_files_write(&folder, "tmp", TB_STR("x"), NULL), 0);
        assert_int_equal(tb_files_rename(&folder, "tmp", name), 0);
        assert_string_equal(name, names[i]);
        assert_true(tb_files_has(&folder, name));
    }
    char name[TB_FILE_NAME_SIZE] = "b";
    assert_true(tb_files_rename(&folder, "missing", name) < 0);
}

static void a_file_is_replaced_as_a_whole_and_read_where_it_lies(void **state)
{
    const struct tb_files_folder folder = folder_at(*state);
    const struct tb_files_folder nowhere = folder_at("/nonexistent");
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    assert_int_equal(tb_files_replace(&folder, ".notes", TB_STR("old and longer")), 0);
    assert_int_equal(tb_files_replace(&folder, ".notes", TB_STR("new")), 0);
    assert_false(tb_files_has(&folder, ".notes.new"));
    assert_int_equal(tb_files_size(&folder, ".notes"), 3);
    assert_int_equal(tb_files_read(&folder, ".notes", &text), 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&text), "new"));
    assert_true(tb_files_read(&folder, "missing", &text) < 0);
    assert_true(tb_files_replace(&nowhere, "x", TB_STR("x")) < 0);
}

static bool is_old(struct tb_str session_id, void *user)
{
    (void)user;
    return tb_str_eq_cstr(session_id, "old");
}

static void directories_without_a_session_are_swept(void **state)
{
    const char *root = *state;
    static const char *const names[] = {"tabard-files-old", "tabard-files-new", "other"};
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        const struct tb_files_folder folder = folder_at(path);
        assert_int_equal(tb_files_write(&folder, "a", TB_STR("x"), NULL), 0);
    }
    tb_files_sweep(root, is_old, NULL);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", root, names[i]);
        const struct tb_files_folder folder = folder_at(path);
        assert_int_equal(tb_files_has(&folder, "a"), i != 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_safe),
        TEMP_DIR_TEST(nothing_follows_a_link_out_of_the_directory),
        TEMP_DIR_TEST(a_file_belongs_to_whom_its_directory_belongs_to),
        TEMP_DIR_TEST(only_plain_files_are_files),
        TEMP_DIR_TEST(another_directory_in_its_place_is_left_alone),
        TEMP_DIR_TEST(whoever_exchanges_files_meanwhile_gains_nothing),
        TEMP_DIR_TEST(an_older_kernel_holds_too),
        TEMP_DIR_TEST(a_taken_name_gets_a_number),
        TEMP_DIR_TEST(a_file_is_replaced_as_a_whole_and_read_where_it_lies),
        TEMP_DIR_TEST(directories_without_a_session_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
