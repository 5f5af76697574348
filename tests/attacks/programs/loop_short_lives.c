// attack: burns CPU in a chain of short-lived orphans with SIGCHLD ignored, so that no parent's books ever show it.
// defence: CPU accounting of the tree (cgroup, else a watch that also counts the dead)
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1 wall_s=8

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long burnt_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(void) {
    volatile long *total_us = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        for (;;) {  // one link: burn 5 ms, hand on to a child, die
            while (burnt_us() < 5000) { }
            *total_us += burnt_us();
            if (*total_us > 3000000) _exit(0);
            pid_t next = fork();
            if (next != 0) _exit(next < 0);
        }
    }
    while (*total_us <= 3000000) usleep(20000);
    dprintf(1, "BREACH burnt 3 s of CPU under a limit of 1 s\n");
    return 0;
}
