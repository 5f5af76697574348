// attack: makes a user namespace with clone, also with bits above the 32 that the kernel looks at.
// defence: seccomp looks at the low 32 bits of clone's flags
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    long flag[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | CLONE_NEWPID};
    int held = 1;
    for (int i = 0; i < 16; i++) {
        long wish = flag[i % 8] | SIGCHLD | (i < 8 ? 0 : 1L << 40);
        pid_t child = syscall(SYS_clone, wish, 0, 0, 0, 0);
        if (child == 0) _exit(0);
        if (child < 0) continue;
        waitpid(child, 0, 0);
        dprintf(1, "BREACH clone(%#lx)\n", wish);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
