// attack: joins the namespaces of process 1, of its parent and of a host process.
// defence: seccomp; no capabilities; pid namespace
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int pids[] = {1, getppid(), atoi(argv[1])}, held = 1;
    const char *kind[] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup", "time"};
    char path[64];
    for (int p = 0; p < 3; p++) {
        for (int k = 0; k < 8; k++) {
            snprintf(path, sizeof path, "/proc/%d/ns/%s", pids[p], kind[k]);
            int fd = open(path, O_RDONLY);
            if (fd < 0 || setns(fd, 0) != 0) continue;
            dprintf(1, "BREACH joined %s\n", path);
            held = 0;
        }
        int pidfd = syscall(SYS_pidfd_open, pids[p], 0);
        if (pidfd < 0 || setns(pidfd, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET) != 0) continue;
        dprintf(1, "BREACH joined process %d by pidfd\n", pids[p]);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
