/* SPDX-License-Identifier: Apache-2.0 */
#include "io/exec_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/str.h"

static const char guard_word[] = "__exec-guard";

enum {
    AT_WORD = 1,
    AT_PARENT,
    AT_PRIVS,
    AT_FILE,
    EXIT_NOT_RUN = 126,
};

bool tb_exec_guard_wanted(int argc, char *const *argv)
{
    return argc > TB_EXEC_GUARD_ARGS && strcmp(argv[AT_WORD], guard_word) == 0;
}

void tb_exec_guard_args(const char *self, const char *file, bool no_new_privs,
                        char pid_text[TB_EXEC_GUARD_PID_SIZE],
                        const char *ret_args[TB_EXEC_GUARD_ARGS])
{
    snprintf(pid_text, TB_EXEC_GUARD_PID_SIZE, "%d", (int)getpid());
    ret_args[0] = self;
    ret_args[AT_WORD] = guard_word;
    ret_args[AT_PARENT] = pid_text;
    ret_args[AT_PRIVS] = no_new_privs ? "1" : "0";
    ret_args[AT_FILE] = file;
}

/* Whoever ignored a signal for its own sake does not want its children to. */
static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int signum = 1; signum < NSIG; signum++) {
        signal(signum, SIG_DFL);
    }
}

static void be_first_out_of_memory(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        /* A refusal leaves the usual order. */
        ssize_t written = write(fd, "300", 3);
        (void)written;
        close(fd);
    }
}

int tb_exec_guard_main(int argc, char **argv)
{
    uint64_t parent;
    if (!tb_exec_guard_wanted(argc, argv) || !tb_str_to_u64(tb_str_of(argv[AT_PARENT]), &parent)) {
        return EXIT_NOT_RUN;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
        return EXIT_NOT_RUN;
    }
    /* The parent may have ended before the request was made. */
    if ((uint64_t)getppid() != parent) {
        return EXIT_NOT_RUN;
    }
    if (strcmp(argv[AT_PRIVS], "1") == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
        return EXIT_NOT_RUN;
    }
    be_first_out_of_memory();
    reset_signals();
    execv(argv[AT_FILE], argv + TB_EXEC_GUARD_ARGS);
    fprintf(stderr, "cannot execute %s: %s\n", argv[AT_FILE], strerror(errno));
    return EXIT_NOT_RUN;
}
