// attack: makes namespaces of its own with unshare, a user namespace first, where it would have every capability.
// defence: seccomp; no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    long flag[] = {CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNS, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
                   CLONE_NEWCGROUP, 0x80 /* CLONE_NEWTIME */, CLONE_NEWUSER | CLONE_NEWNET};
    int held = 1;
    for (int i = 0; i < 20; i++) {
        long wish = flag[i % 10] | (i < 10 ? 0 : 1L << 40);  // bits that the kernel drops, and a filter may not
        pid_t child = fork();
        if (child == 0) _exit(syscall(SYS_unshare, wish) == 0 ? 42 : 0);
        int how = 0;
        waitpid(child, &how, 0);
        if (WIFEXITED(how) && WEXITSTATUS(how) == 42) {
            dprintf(1, "BREACH unshare(%#lx)\n", wish);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
