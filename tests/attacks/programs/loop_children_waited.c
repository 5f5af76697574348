// attack: lets children burn the CPU, one after the other, and sleeps itself.
// defence: CPU accounting of the tree
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1 wall_s=8

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    for (int child = 0; child < 15; child++) {
        if (fork() == 0) {
            struct timespec t;
            do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_nsec < 200000000);
            _exit(0);
        }
        int how = -1;
        wait(&how);
        if (how != 0) return 1;  // a link was cut: no claim to make
    }
    dprintf(1, "BREACH burnt 3 s of CPU under a limit of 1 s\n");
    return 0;
}
