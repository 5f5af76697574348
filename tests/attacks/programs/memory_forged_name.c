// attack: its child takes a name that looks like the rest of a line in /proc/<pid>/stat, to mislead a watch, and hoards.
// defence: memory cgroup, else a watch that parses from the last parenthesis
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    if (fork() == 0) {
        prctl(PR_SET_NAME, "x) Z 1 1 1\n0 0");
        setsid();
        for (int mb = 0; mb < 512; mb += 4) {
            char *volatile p = malloc(4 << 20);  // volatile: or the compiler may drop it
            if (!p) _exit(1);
            memset(p, 1, 4 << 20);
        }
        usleep(300000);
        dprintf(1, "BREACH 512 MB under a forged name and a limit of 128\n");
        _exit(0);
    }
    int how = 0;
    wait(&how);
    return how != 0;
}
