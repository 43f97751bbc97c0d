/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/seccomp.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/mem.h"

#if defined(__x86_64__)
#    define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#    define MACHINE AUDIT_ARCH_AARCH64
#else
#    define MACHINE 0
#endif

/* Not here, since the sandbox of Chromium needs them: unshare, chroot, clone with new namespaces.
 */
static const uint16_t refused[] = {
#ifndef TB_TRACEABLE /* LeakSanitizer stops its process by it */
    SYS_ptrace,
#endif
    /* other processes */
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_setns,
    /* file systems */
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_mount_setattr,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_open_by_handle_at,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_fanotify_init,
    /* large parts of the kernel that are reached by one call */
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    /* the machine */
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_syslog,
    SYS_vhangup,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS__sysctl,
    SYS_sysfs,
    SYS_ustat,
#endif
};

enum {
    OTHER_ABI = 0x40000000, /* the bit of x32 in a number: the same calls by other names */
    HEAD = 4,
    COUNT = TB_COUNT(refused),
    ALLOW = HEAD + COUNT,
    REFUSE,
    LENGTH,
};

_Static_assert(LENGTH <= UINT8_MAX, "a jump of the filter reaches 255 instructions");

/* From the instruction `at` to the one that refuses, if the comparison holds. */
static struct sock_filter refuse_if(uint16_t comparison, uint32_t value, size_t at)
{
    return (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | comparison | BPF_K), value,
                                        (uint8_t)(REFUSE - at - 1), 0);
}

int tb_seccomp_install(void)
{
    struct sock_filter code[LENGTH] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0, REFUSE - 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        [ALLOW] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        [REFUSE] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {.len = LENGTH, .filter = code};
    if (!MACHINE) {
        return -ENOSYS;
    }
    code[HEAD - 1] = refuse_if(BPF_JGE, OTHER_ABI, HEAD - 1);
    for (size_t i = 0; i < COUNT; i++) {
        code[HEAD + i] = refuse_if(BPF_JEQ, refused[i], HEAD + i);
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0 ? -errno : 0;
}

bool tb_seccomp_refuses(long number)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (refused[i] == number) {
            return true;
        }
    }
    return false;
}
