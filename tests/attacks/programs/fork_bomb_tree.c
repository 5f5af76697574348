// attack: every child forks on too, and none of them ever stops trying.
// defence: pids cgroup, RLIMIT_NPROC, CPU limit of the whole tree
// levels: full rootless landlock
// expect: time_limit_exceeded | process_limit_exceeded
// limits: cpu_s=1

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int *born = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (*born < 64)
        if (fork() == 0) __sync_fetch_and_add(born, 1);  // nobody exits, so born is also alive
    usleep(300000);  // time enough for a watch to look
    dprintf(1, "BREACH 64 processes at a time under a limit of 32\n");
    return 0;
}
