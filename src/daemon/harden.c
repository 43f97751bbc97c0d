/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/harden.h"

#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/mem.h"
#include "daemon/seccomp.h"

enum {
    PRIVATE = S_IRWXG | S_IRWXO, /* what no new file has */
    SET_BITS = 32,
};

/* What root needs: to run browsers as somebody else, to hand them their directories and read what
 * they leave there, to end them, and to listen where it is told to. */
static const unsigned kept[] = {
    CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_FOWNER, CAP_DAC_OVERRIDE, CAP_KILL, CAP_NET_BIND_SERVICE,
};

static uint32_t kept_of(unsigned set)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < TB_COUNT(kept); i++) {
        bits |= kept[i] / SET_BITS == set ? 1U << (kept[i] % SET_BITS) : 0;
    }
    return bits;
}

/* What a program that is run from here could have at most. Only who may change capabilities can
 * narrow it; who may not has none to lose. */
static void narrow_bounds(void)
{
    for (unsigned cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
        if (!(kept_of(cap / SET_BITS) >> (cap % SET_BITS) & 1)) {
            prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
        }
    }
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    narrow_bounds();
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &header, sets) < 0) {
        return -errno;
    }
    for (unsigned i = 0; i < TB_COUNT(sets); i++) {
        sets[i].permitted &= kept_of(i);
        sets[i].effective &= kept_of(i);
        sets[i].inheritable = 0;
    }
    return syscall(SYS_capset, &header, sets) < 0 ? -errno : 0;
}

/* A core dump has the keys. The limit alone does not stop a program that takes dumps from the
 * kernel; for a process that may not be dumped there is none. */
static int forbid_dumps(void)
{
#ifdef TB_TRACEABLE
    return 0; /* debuggers and LeakSanitizer look into this build */
#else
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
#endif
}

/* Remembers the first failure. */
static void note(int rc, const char *words, struct tb_err *first)
{
    if (rc < 0 && first->code == 0) {
        tb_fail(first, rc, "%s: %s", words, tb_err_name(rc));
    }
}

int tb_harden(bool browsers_gain_rights, struct tb_err *err)
{
    struct tb_err first = {0};
    umask(PRIVATE);
    note(forbid_dumps(), "core dumps are possible", &first);
    if (!browsers_gain_rights) {
        note(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0, "programs can gain rights",
             &first);
    }
    note(tb_seccomp_install(),
         browsers_gain_rights
             ? "system calls are not filtered, since the browser's sandbox needs a setuid program"
             : "system calls are not filtered",
         &first);
    /* The last: without no_new_privs it takes one of them to install a filter. */
    note(drop_capabilities(), "capabilities are kept", &first);
    if (first.code < 0) {
        *err = first;
    }
    return first.code;
}
