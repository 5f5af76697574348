// attack: takes the processor for itself: real-time scheduling, negative niceness, deadline, real-time disk priority.
// defence: seccomp; no capabilities (CAP_SYS_NICE), RLIMIT_RTPRIO and RLIMIT_NICE of 0
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, int won) {
    if (!won) return;
    dprintf(1, "BREACH %s\n", how);
    held = 0;
}

int main(void) {
    // A filter may say yes and do nothing, so what counts is what the kernel answers afterwards.
    struct sched_param one = {.sched_priority = 1}, zero = {0};
    sched_setscheduler(0, SCHED_FIFO, &one);
    judge("SCHED_FIFO", sched_getscheduler(0) == SCHED_FIFO);
    sched_setscheduler(0, SCHED_RR, &one);
    judge("SCHED_RR", sched_getscheduler(0) == SCHED_RR);
    struct { unsigned size, policy; unsigned long long flags; int nice; unsigned priority; unsigned long long runtime, deadline, period; }
        deadline = {48, 6 /* SCHED_DEADLINE */, 0, 0, 0, 10000000, 30000000, 30000000};
    syscall(SYS_sched_setattr, 0, &deadline, 0);
    judge("SCHED_DEADLINE", sched_getscheduler(0) == 6);
    sched_setscheduler(0, SCHED_OTHER, &zero);
    int before = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, before - 5);
    judge("nice", getpriority(PRIO_PROCESS, 0) < before);
    syscall(SYS_ioprio_set, 1, 0, 1 << 13 /* real time */);
    judge("ioprio", syscall(SYS_ioprio_get, 1, 0) >> 13 == 1);
    if (held) puts("held");
    return 0;
}
