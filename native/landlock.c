/* The file system rules, and with newer kernels those for TCP, signals and abstract sockets.
 *
 * Owns two rule sets: `inside` a prepared root, where it stands behind the mount namespace, and `bare`,
 * where it is the wall itself. Landlock only ever takes rights away, and is inherited by all children.
 * ABI 1 came with Linux 5.13, REFER with 2 (5.19), TRUNCATE 3 (6.2), TCP 4 (6.7), IOCTL_DEV 5 (6.10),
 * scopes 6 (6.12); rights that the kernel does not know are left out.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/* Spelled out: headers of the build machine may be older than the kernel of the host. */
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
#define FS_ALL_1 ((1ull << 13) - 1)

#define READ (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV) /* else EINVAL on a file */

struct attributes { /* struct landlock_ruleset_attr as of ABI 6 */
    uint64_t fs, net, scoped;
};

int landlock_abi(void)
{
    return (int)syscall(__NR_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
}

static uint64_t known_rights(int abi)
{
    uint64_t rights = FS_ALL_1;
    if (abi >= 2)
        rights |= FS_REFER;
    if (abi >= 3)
        rights |= FS_TRUNCATE;
    if (abi >= 5)
        rights |= FS_IOCTL_DEV;
    return rights;
}

static int new_ruleset(uint64_t *known)
{
    int abi = landlock_abi();
    if (abi < 1)
        return -1;
    *known = known_rights(abi);
    struct attributes attributes = {.fs = *known, .net = abi >= 4 ? 3 : 0, .scoped = abi >= 6 ? 3 : 0};
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    return (int)syscall(__NR_landlock_create_ruleset, &attributes, size, 0);
}

static int allow(int ruleset, const char *path, uint64_t rights)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat about;
    if (fd < 0)
        return errno == ENOENT ? 0 : -1; /* what is not there needs no rule */
    if (fstat(fd, &about) == 0 && !S_ISDIR(about.st_mode))
        rights &= OF_FILES;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    int result = (int)syscall(__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    int error = errno;
    close(fd);
    errno = error;
    return result;
}

static int finish(int ruleset, int failed)
{
    if (!failed)
        return ruleset;
    int error = errno;
    close(ruleset);
    errno = error;
    return -1;
}

int landlock_ruleset_inside(void)
{
    uint64_t known;
    int ruleset = new_ruleset(&known);
    if (ruleset < 0)
        return -1;
    /* A rule on a directory of the prepared root covers what is later mounted below it: the kernel walks
     * from a file up through its mount points. So one set serves all runs of a worker. */
    int failed = allow(ruleset, "/", READ) < 0 ||
                 allow(ruleset, BOX_DIRECTORY, known & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK)) < 0 ||
                 allow(ruleset, "/dev", known & (READ | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)) < 0;
    return finish(ruleset, failed);
}

int landlock_ruleset_bare(const struct list *paths, const struct list *devices, const char *const *writable)
{
    /* Of /proc: what runtimes read about the machine. A program's own /proc/<pid> is added by lockdown(). */
    static const char *const MACHINE[] = {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version",
                                          "/proc/filesystems", "/proc/loadavg", "/proc/sys/vm/overcommit_memory",
                                          "/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max",
                                          "/proc/sys/kernel/osrelease", "/sys/devices/system/cpu",
                                          "/sys/kernel/mm/transparent_hugepage"};
    uint64_t known;
    int ruleset = new_ruleset(&known);
    if (ruleset < 0)
        return -1;
    int failed = 0;
    for (size_t i = 0; !failed && i < paths->count; i++)
        failed = allow(ruleset, paths->items[i].data, READ) < 0;
    for (size_t i = 0; !failed && i < sizeof MACHINE / sizeof *MACHINE; i++)
        failed = allow(ruleset, MACHINE[i], FS_READ_FILE | FS_READ_DIR) < 0;
    for (size_t i = 0; !failed && i < devices->count; i++)
        failed = allow(ruleset, devices->items[i].data,
                       known & (FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)) < 0;
    for (; !failed && *writable; writable++)
        failed = allow(ruleset, *writable, known & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK)) < 0;
    return finish(ruleset, failed);
}

/* In lockdown.c's order: after no_new_privs, before the filter. */
int landlock_own_proc(int ruleset)
{
    /* One by one: beside them lie the host's mounts, sockets and control groups. */
    static const char *const OWN[] = {"stat", "status", "statm", "maps", "smaps", "smaps_rollup", "comm", "cmdline",
                                      "auxv", "environ", "limits", "exe", "fd", "fdinfo", "io", "schedstat",
                                      "oom_score", "oom_score_adj", "coredump_filter", "timerslack_ns", "mem",
                                      "pagemap"};
    char path[64];
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)getpid(), OWN[i]);
        if (allow(ruleset, path, FS_READ_FILE | FS_READ_DIR) < 0)
            return -1;
    }
    return 0;
}

int landlock_enforce(int ruleset)
{
    return (int)syscall(__NR_landlock_restrict_self, ruleset, 0);
}
