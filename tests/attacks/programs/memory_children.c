// attack: spreads the hoard over eight children, each of them well under the limit.
// defence: memory cgroup, else the watch, both of the whole tree
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile hoard;  // volatile: a compiler may drop memory that nobody looks at

int main(void) {
    int full[2];
    pipe(full);
    for (int child = 0; child < 8; child++)
        if (fork() == 0) {
            setsid();
            hoard = malloc(64 << 20);
            memset(hoard, 1, 64 << 20);
            write(full[1], "x", 1);
            for (;;) pause();
        }
    char byte;
    close(full[1]);
    for (int child = 0; child < 8; child++)
        if (read(full[0], &byte, 1) != 1) return 1;
    usleep(300000);
    dprintf(1, "BREACH 512 MB in 8 processes under a limit of 128\n");
    return 0;
}
