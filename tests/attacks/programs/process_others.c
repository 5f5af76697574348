// attack: changes a host process without a signal: its priority, processors, scheduling, disk priority, memory placement.
// defence: pid namespace; at landlock seccomp, because Landlock has no right for any of these
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, long result) {
    if (result < 0) return;
    dprintf(1, "BREACH %s of a host process\n", how);
    held = 0;
}

int main(int argc, char **argv) {
    pid_t pid = atoi(argv[1]);
    cpu_set_t cpus;
    struct sched_param zero = {0};
    void *head;
    size_t size;
    // What is set is the default or what was there, so that the witness serves on.
    judge("niceness", setpriority(PRIO_PROCESS, pid, 0));
    judge("disk priority", syscall(SYS_ioprio_set, 1, pid, 0));
    judge("scheduling", sched_setscheduler(pid, SCHED_OTHER, &zero));
    if (sched_getaffinity(pid, sizeof cpus, &cpus) == 0) judge("processors", sched_setaffinity(pid, sizeof cpus, &cpus));
    judge("kcmp", syscall(SYS_kcmp, pid, getpid(), 1 /* KCMP_VM */, 0, 0));
    judge("robust list", syscall(SYS_get_robust_list, pid, &head, &size));
    judge("process group", setpgid(pid, 0));
    int pidfd = syscall(SYS_pidfd_open, pid, 0);
    if (pidfd >= 0) judge("process_mrelease", syscall(448, pidfd, 0));
    if (held) puts("held");
    return 0;
}
