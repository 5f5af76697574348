// attack: forks until the host has no process numbers left.
// defence: pids cgroup, RLIMIT_NPROC
// levels: full rootless landlock
// expect: process_limit_exceeded | runtime_error

#include <stdio.h>
#include <unistd.h>

int main(void) {
    for (int alive = 1; alive < 64; alive++) {
        pid_t pid = fork();
        if (pid < 0) return 1;
        if (pid == 0) for (;;) pause();
    }
    // Twice the limit: the count need not be exact, an end there must be. And time enough for a watch to look.
    usleep(300000);
    dprintf(1, "BREACH 64 processes at a time under a limit of 32\n");
    return 0;
}
