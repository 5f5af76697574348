// attack: makes namespaces with clone3, whose flags lie in memory where no filter can see them, and picks a cgroup.
// defence: seccomp answers clone3 with ENOSYS
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    unsigned long long flag[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWTIME, 0x200000000ULL /* CLONE_INTO_CGROUP */};
    const char *group[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    int held = 1;
    for (int i = 0; i < 7; i++) {
        struct clone_args args = {.flags = flag[i < 5 ? i : 5], .exit_signal = SIGCHLD};
        if (i >= 5) {
            int fd = open(group[i - 5], O_RDONLY | O_DIRECTORY);
            if (fd < 0) continue;
            args.cgroup = fd;
        }
        pid_t child = syscall(SYS_clone3, &args, sizeof args);
        if (child == 0) _exit(0);
        if (child < 0) continue;
        waitpid(child, 0, 0);
        dprintf(1, "BREACH clone3(%#llx)\n", args.flags);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
