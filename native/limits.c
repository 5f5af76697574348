/* rlimits, identity and capabilities: what the kernel keeps per process.
 *
 * Owns no policy: the numbers come in struct lockdown and struct bounds. Raw system calls for identities, because glibc's
 * wrappers signal the other threads of a process, and between vfork() and exec() those are not ours.
 */
#include "box.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int limit(int what, uint64_t soft, uint64_t hard)
{
    struct rlimit old, new = {.rlim_cur = soft, .rlim_max = hard};
    if (getrlimit((__rlimit_resource_t)what, &old) < 0)
        return -1;
    /* Only CAP_SYS_RESOURCE raises a hard limit: keep to what we have. A lower one is stricter, never laxer. */
    if (new.rlim_max > old.rlim_max)
        new.rlim_max = old.rlim_max;
    if (new.rlim_cur > new.rlim_max)
        new.rlim_cur = new.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &new);
}

enum step lockdown_bounds(const struct bounds *bounds)
{
    /* 1, not 0: where core_pattern is a pipe, 0 would still start its reader, a helper of the host (core(5)) */
    if (limit(RLIMIT_CORE, 1, 1) < 0 || limit(RLIMIT_MSGQUEUE, 0, 0) < 0 || limit(RLIMIT_RTPRIO, 0, 0) < 0 ||
        limit(RLIMIT_MEMLOCK, 1 << 20, 1 << 20) < 0)
        return STEP_RLIMIT;
    /* The stack may grow as far as the memory limit. Not RLIM_INFINITY: that turns glibc's default for
     * threads to 2 MB and the mmap layout upside down (mm/util.c, mmap_is_legacy). */
    if (bounds->stack_bytes != UNLIMITED && limit(RLIMIT_STACK, bounds->stack_bytes, bounds->stack_bytes) < 0)
        return STEP_RLIMIT;
    if (bounds->cpu_s != UNLIMITED && limit(RLIMIT_CPU, bounds->cpu_s, bounds->cpu_s + 1) < 0)
        return STEP_RLIMIT;
    if (bounds->open_files != UNLIMITED && limit(RLIMIT_NOFILE, bounds->open_files, bounds->open_files) < 0)
        return STEP_RLIMIT;
    if (bounds->processes != UNLIMITED && limit(RLIMIT_NPROC, bounds->processes, bounds->processes) < 0)
        return STEP_RLIMIT;
    if (bounds->file_bytes != UNLIMITED && limit(RLIMIT_FSIZE, bounds->file_bytes, bounds->file_bytes) < 0)
        return STEP_RLIMIT;
    return STEP_NONE;
}

enum step lockdown_identity(const struct lockdown *how)
{
    if (!how->change_identity)
        return STEP_NONE;
    if (syscall(SYS_setgroups, 0, NULL) < 0 && errno != EPERM) /* EPERM: "deny" is written in the namespace */
        return STEP_IDENTITY;
    if (syscall(SYS_setresgid, how->gid, how->gid, how->gid) < 0 ||
        syscall(SYS_setresuid, how->uid, how->uid, how->uid) < 0)
        return STEP_IDENTITY;
    return STEP_NONE;
}

/* Once for a worker: nobody below it ever gains a capability. What it holds now becomes inheritable first, which
 * a smaller bounding set would forbid later, and by which the zygote keeps it over exec (capabilities(7)). */
int seal_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2];
    if (syscall(SYS_capget, &head, have) < 0)
        return -1;
    have[0].inheritable = have[0].permitted;
    have[1].inheritable = have[1].permitted;
    if (syscall(SYS_capset, &head, have) < 0)
        return -1;
    for (int capability = 0; capability < 64; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno == EPERM)
            break; /* no CAP_SETPCAP: then there is nothing to lose, and no_new_privs bars every gain */
    return 0;
}

int drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
        return -1;
    return (int)syscall(SYS_capset, &head, none);
}

/* So that the zygote keeps the worker's capabilities over exec when it has no uid 0. */
int raise_ambient_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2];
    if (syscall(SYS_capget, &head, have) < 0)
        return -1;
    for (int capability = 0; capability < 64; capability++)
        if (have[capability / 32].permitted & (1u << (capability % 32)))
            if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
                return -1;
    return 0;
}
