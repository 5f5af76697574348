// attack: looks for the processes of a run that goes on beside it: signals, memory, command line, limits.
// defence: pid namespace; at landlock the signal scope, the rules on /proc and seccomp
// levels: full rootless landlock
// expect: ok
// beside: neighbour.py

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <errno.h>

static int breach(const char *how, int pid) {
    dprintf(1, "BREACH %s of process %d\n", how, pid);
    return 1;
}

int main(void) {
    struct timespec start, now;
    char path[64], byte;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int pid = 2; pid < 65536; pid++) {
            if (pid == getpid() || pid == getppid()) continue;
            if (kill(pid, 0) != 0 && errno == ESRCH) continue;  // saves the rest where nobody is
            int found = 0;
            if (kill(pid, 0) == 0) found |= breach("signals", pid);
            struct iovec mine = {&byte, 1}, theirs = {(void *)0x10000, 1};
            // EFAULT: the address was no good, but the door was open.
            if (process_vm_readv(pid, &mine, 1, &theirs, 1, 0) >= 0 || errno == EFAULT) found |= breach("memory", pid);
            struct rlimit limit;
            if (prlimit(pid, RLIMIT_NOFILE, 0, &limit) == 0) found |= breach("limits", pid);
            const char *name[] = {"cmdline", "environ", "maps", "stat"};
            for (int i = 0; i < 4; i++) {
                snprintf(path, sizeof path, "/proc/%d/%s", pid, name[i]);
                int fd = open(path, O_RDONLY);
                if (fd >= 0 && read(fd, &byte, 1) == 1) found |= breach(name[i], pid);
                if (fd >= 0) close(fd);
            }
            if (found) return 0;
        }
        usleep(20000);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 1);
    puts("held");
    return 0;
}
