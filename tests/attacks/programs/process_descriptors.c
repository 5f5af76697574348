// attack: takes open descriptors out of process 1, its parent and a host process with pidfd_getfd.
// defence: seccomp; pid namespace
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int pids[] = {1, getppid(), atoi(argv[1])}, held = 1;
    for (int i = 0; i < 3; i++) {
        int pidfd = pids[i] > 0 ? syscall(SYS_pidfd_open, pids[i], 0) : -1;
        for (int fd = 0; pidfd >= 0 && fd < 64; fd++) {
            if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) < 0) continue;
            dprintf(1, "BREACH took descriptor %d of process %d\n", fd, pids[i]);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
