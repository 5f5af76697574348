// attack: counts and samples with perf_event_open, of itself, of its parent, of a whole processor.
// defence: seccomp
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int pid[] = {0, getppid(), -1}, cpu[] = {-1, -1, 0}, held = 1;
    for (int i = 0; i < 6; i++) {
        struct perf_event_attr attr;
        memset(&attr, 0, sizeof attr);
        attr.size = sizeof attr;
        attr.type = PERF_TYPE_SOFTWARE;
        attr.config = PERF_COUNT_SW_CPU_CLOCK;
        attr.exclude_kernel = i < 3;
        if (syscall(SYS_perf_event_open, &attr, pid[i % 3], cpu[i % 3], -1, 0) < 0) continue;
        dprintf(1, "BREACH perf_event_open of process %d\n", pid[i % 3]);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
