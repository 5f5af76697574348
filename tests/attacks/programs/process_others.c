// attack: changes a host process without a signal: its priority, processors, scheduling, disk priority, group.
// defence: pid namespace; at landlock seccomp, because Landlock has no right for any of these
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, int won) {
    if (!won) return;
    dprintf(1, "BREACH %s of a host process\n", how);
    held = 0;
}

int main(int argc, char **argv) {
    pid_t pid = atoi(argv[1]);
    struct sched_param zero = {0};
    // A filter may say yes and do nothing, so what counts is what the kernel answers afterwards.
    // Each change is a mild one and taken back: the witness serves later attacks too.
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, pid);
    if (errno == 0) {
        setpriority(PRIO_PROCESS, pid, nice + 1);
        judge("niceness", getpriority(PRIO_PROCESS, pid) == nice + 1);
        setpriority(PRIO_PROCESS, pid, nice);
    }
    int disk = syscall(SYS_ioprio_get, 1, pid);
    syscall(SYS_ioprio_set, 1, pid, 2 << 13 | 7);
    judge("disk priority", disk >= 0 && syscall(SYS_ioprio_get, 1, pid) == (2 << 13 | 7));
    syscall(SYS_ioprio_set, 1, pid, disk < 0 ? 0 : disk);
    sched_setscheduler(pid, SCHED_BATCH, &zero);
    judge("scheduling", sched_getscheduler(pid) == SCHED_BATCH);
    sched_setscheduler(pid, SCHED_OTHER, &zero);
    cpu_set_t all, one, now;
    if (sched_getaffinity(pid, sizeof all, &all) == 0 && CPU_COUNT(&all) > 1) {
        int cpu = 0;
        while (!CPU_ISSET(cpu, &all)) cpu++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(pid, sizeof one, &one);
        judge("processors", sched_getaffinity(pid, sizeof now, &now) == 0 && CPU_COUNT(&now) == 1);
        sched_setaffinity(pid, sizeof all, &all);
    }
    void *head;
    size_t size;
    judge("memory (kcmp)", syscall(SYS_kcmp, pid, getpid(), 1 /* KCMP_VM */, 0, 0) >= 0);
    judge("futexes", syscall(SYS_get_robust_list, pid, &head, &size) == 0);
    pid_t before = getpgid(pid);
    setpgid(pid, 0);
    judge("process group", getpgid(pid) != before);
    if (held) puts("held");
    return 0;
}
