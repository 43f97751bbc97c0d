/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/index.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    HEADER_BYTES = 136, /* both copies of it, and what checkpoints and readers note */
    /* As a header it is wrong, as a number of frames or pages beyond all, and in a hash table it
     * has no end: SQLite calls that corrupt and reads nothing old instead. */
    GARBAGE = 0xff,
    HEX = 16,
};

enum place {
    UNKNOWN,
    INDEX,
    NO_FILE, /* another thread was helped in the same moment */
};

/* What has been read of one line of /proc/self/maps: "<from>-<to> <rights> ... <path>". */
struct line {
    int field;
    uintptr_t bounds[2];
    size_t matched; /* of the name, which begins with its only slash */
    bool file;
    bool index;
};

static const char name[] = "/tabard.db-shm";

static void take(struct line *line, char c)
{
    if (line->field < 2) {
        if (c == '-' || c == ' ') {
            line->field++;
            return;
        }
        uintptr_t digit = (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        line->bounds[line->field] = line->bounds[line->field] * HEX + digit;
        return;
    }
    line->file = line->file || c == '/';
    line->matched = c == name[line->matched] ? line->matched + 1 : c == '/';
    if (!name[line->matched]) {
        line->index = true;
        line->matched = 0;
    }
}

/* Only what may be called from a signal's handler. */
static enum place look_up(uintptr_t at)
{
    char bytes[1024];
    struct line line = {0};
    ssize_t got;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] != '\n') {
                take(&line, bytes[i]);
            } else if (line.bounds[0] <= at && at < line.bounds[1]) {
                close(fd);
                return line.index ? INDEX : line.file ? UNKNOWN : NO_FILE;
            } else {
                line = (struct line){0};
            }
        }
    }
    close(fd);
    return UNKNOWN;
}

/* In one step, so that no other thread sees a page that is half garbage. */
static bool replace_page(void *at)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    memset(page, GARBAGE, size);
    char *place = (char *)at - (uintptr_t)at % size;
    return mremap(page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED;
}

static void on_later_fault(int signum, siginfo_t *info, void *context);

static void install(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static void on_fault(int signum, siginfo_t *info, void *context)
{
    int before = errno;
    enum place place = info->si_code == BUS_ADRERR ? look_up((uintptr_t)info->si_addr) : UNKNOWN;
    (void)context;
    if (place == NO_FILE || (place == INDEX && replace_page(info->si_addr))) {
        install(on_later_fault);
    } else {
        signal(signum, SIG_DFL); /* it comes again at once, unless somebody has sent it */
        if (info->si_code <= 0) {
            raise(signum);
        }
    }
    errno = before;
}

/* The same; that it is the one installed is what tells tb_index_faulted. */
static void on_later_fault(int signum, siginfo_t *info, void *context)
{
    on_fault(signum, info, context);
}

void tb_index_guard(void)
{
    install(on_fault);
}

bool tb_index_faulted(void)
{
    struct sigaction now;
    return sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == on_later_fault;
}

void tb_index_spoil(const char *db_path)
{
    static const char zeros[HEADER_BYTES];
    TB_AUTO(tb_free) char *path = tb_strdupf("%s-shm", db_path);
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        /* What is not there need not be spoilt. */
        ssize_t ignored = pwrite(fd, zeros, sizeof(zeros), 0);
        (void)ignored;
        close(fd);
    }
}
