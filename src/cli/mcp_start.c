/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/environment.h"
#include "cli/options.h"
#include "daemon/daemon.h"
#include "daemon/dirs.h"

enum {
    TITLE_MAX = 4096,
};

/* Nothing of ours may stay open in the daemon. */
static void set_descriptors(const struct tb_config *config, int ready_fd)
{
    TB_AUTO(tb_free) char *log = tb_dirs_join(config->state_dir, "daemon.log");
    int null_fd = open("/dev/null", O_RDWR);
    int log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(null_fd, STDIN_FILENO);
    dup2(ready_fd, STDOUT_FILENO);
    dup2(log_fd >= 0 ? log_fd : null_fd, STDERR_FILENO);
    closefrom(STDERR_FILENO + 1);
}

/* The daemon shows up as what a person would have typed to start it. */
static void set_title(const struct tb_config_sources *sources)
{
    TB_AUTO(tb_buf_fini) struct tb_buf title = TB_BUF(TITLE_MAX);
    tb_buf_append_cstr(&title, "tabard serve");
    if (sources->file) {
        tb_buf_printf(&title, " --config %s", sources->file);
    }
    for (size_t i = 0; i < 2 * sources->flag_count; i++) {
        tb_buf_printf(&title, " %s", sources->flags[i]);
    }
    tb_environment_clean(tb_buf_str(&title));
}

/* In the child. Without exec, since to link the program once more takes longer than all the rest.
 * The bridge has neither threads nor a loop that the daemon would share. */
static _Noreturn void become_daemon(const struct tb_config *config,
                                    const struct tb_config_sources *sources, int ready_fd)
{
    struct tb_options options = {.sources = *sources};
    struct tb_err err = {0};
    /* Copies, since the originals lie where the title goes. */
    options.sources.file = sources->file ? tb_strdup(sources->file) : NULL;
    for (size_t i = 0; i < 2 * sources->flag_count; i++) {
        options.flags[i] = tb_strdup(sources->flags[i]);
    }
    options.sources.flags = options.flags;
    setsid();
    set_descriptors(config, ready_fd);
    set_title(&options.sources);
    int rc = chdir("/") < 0 ? tb_fail(&err, -errno, "cannot change to the directory /: %s",
                                      tb_err_name(-errno))
                            : 0;
    if (rc == 0 && tb_daemon_run(&options.sources, STDOUT_FILENO, &err) == 0) {
        exit(0);
    }
    if (err.code != TB_E_LOCKED) { /* then another daemon has this log, and our bridge the words */
        fprintf(stderr, "tabard serve: %s\n", err.text);
    }
    exit(write(STDOUT_FILENO, &err, sizeof(err)) < 0 ? 2 : 1);
}

int tb_mcp_start(const struct tb_config *config, const struct tb_config_sources *sources,
                 struct tb_err *err)
{
    int ready[2];
    int rc = tb_dirs_make(config, err);
    if (rc < 0) {
        return rc;
    }
    if (pipe2(ready, O_CLOEXEC) < 0) {
        return tb_fail(err, -errno, "cannot start the daemon: %s", tb_err_name(-errno));
    }
    pid_t child = fork();
    if (child == 0) {
        /* A second fork, so that the daemon is nobody's child and leaves no zombie. */
        if (fork() == 0) {
            become_daemon(config, sources, ready[1]);
        }
        _exit(0);
    }
    close(ready[1]);
    waitpid(child, NULL, 0);
    return ready[0];
}

/* The daemon says that it is open, in words of any length, or what is wrong, as a struct tb_err.
 * Codes are negative, and no text begins with such bytes. */
int tb_mcp_start_result(const struct tb_config *config, int fd, struct tb_err *err)
{
    struct tb_err said = {0};
    ssize_t got = read(fd, &said, sizeof(said));
    if (got <= 0) {
        return tb_fail(err, TB_E_CLOSED,
                       "the daemon did not start; see %s/daemon.log, or run 'tabard doctor'",
                       config->state_dir);
    }
    said.text[sizeof(said.text) - 1] = '\0';
    return said.code < 0 ? tb_fail(err, said.code, "%s", said.text) : 0;
}
