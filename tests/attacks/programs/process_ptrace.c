// attack: traces process 1, its parent and a host process.
// defence: seccomp; pid namespace
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int pids[] = {1, getppid(), atoi(argv[1])}, held = 1;
    for (int i = 0; i < 3; i++) {
        if (pids[i] <= 0) continue;
        // The tracer's death lets the tracee go on, so no detach is needed.
        if (ptrace(PTRACE_SEIZE, pids[i], 0, 0) != 0 && ptrace(PTRACE_ATTACH, pids[i], 0, 0) != 0) continue;
        dprintf(1, "BREACH traces process %d\n", pids[i]);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
