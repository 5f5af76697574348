// attack: a parent that ignores SIGCHLD lets children burn the CPU; the kernel then adds their time to nobody's account.
//   Without a cgroup nothing counts them exactly, so rootless and landlock bound this one by the wall clock only.
// defence: CPU accounting of the cgroup
// levels: full
// expect: time_limit_exceeded
// limits: cpu_s=1 wall_s=8

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    signal(SIGCHLD, SIG_IGN);
    for (int child = 0; child < 600; child++) {
        int alive[2];
        char byte;
        pipe(alive);
        pid_t pid = fork();
        if (pid < 0) return 1;
        if (pid == 0) {
            struct timespec t;
            do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (t.tv_nsec < 5000000);
            _exit(0);
        }
        close(alive[1]);
        read(alive[0], &byte, 1);  // its end, without waiting for it as a parent would
        close(alive[0]);
    }
    dprintf(1, "BREACH burnt 3 s of CPU under a limit of 1 s\n");
    return 0;
}
