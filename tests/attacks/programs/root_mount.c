// attack: mounts: a file system of its own, a bind mount, read-only directories writable again, by the old and the new calls.
// defence: seccomp; no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, long result) {
    if (result < 0) return;
    dprintf(1, "BREACH %s\n", how);
    held = 0;
}

int main(void) {
    mkdir("m", 0700);
    judge("tmpfs", mount("none", "m", "tmpfs", 0, 0));
    judge("proc", mount("none", "m", "proc", 0, 0));
    judge("sysfs", mount("none", "m", "sysfs", 0, 0));
    judge("devtmpfs", mount("none", "m", "devtmpfs", 0, 0));
    judge("cgroup2", mount("none", "m", "cgroup2", 0, 0));
    judge("overlay", mount("none", "m", "overlay", 0, "lowerdir=/,upperdir=m,workdir=m"));
    judge("bind /", mount("/", "m", 0, MS_BIND | MS_REC, 0));
    judge("bind /usr over the working directory", mount("/usr", "m", 0, MS_BIND, 0));
    judge("remount / writable", mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0));
    judge("remount /usr writable", mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0));
    judge("shared propagation", mount(0, "/", 0, MS_SHARED | MS_REC, 0));
    judge("move", mount("m", "/tmp", 0, MS_MOVE, 0));
    judge("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
    judge("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* OPEN_TREE_CLONE */));
    judge("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0));
    struct { unsigned long long set, clear, propagation, userns; } writable = {.clear = 1 /* MOUNT_ATTR_RDONLY */};
    judge("mount_setattr", syscall(442, AT_FDCWD, "/usr", 0x8000 /* AT_RECURSIVE */, &writable, sizeof writable));
    if (held) puts("held");
    return 0;
}
