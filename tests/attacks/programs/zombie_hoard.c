// attack: never reaps its dead children, to use up process numbers.
// defence: pids cgroup, RLIMIT_NPROC (both count zombies)
// levels: full rootless landlock
// expect: process_limit_exceeded | runtime_error

#include <stdio.h>
#include <unistd.h>

int main(void) {
    for (int dead = 0; dead < 64; dead++) {
        pid_t pid = fork();
        if (pid < 0) return 1;
        if (pid == 0) _exit(0);
    }
    usleep(300000);  // time enough for a watch to look
    dprintf(1, "BREACH 64 zombies under a limit of 32 processes\n");
    return 0;
}
