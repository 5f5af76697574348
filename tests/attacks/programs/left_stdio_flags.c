// attack: sets flags on the open files behind stdin, stdout and stderr, which whoever shares them would feel.
// defence: fresh pipes for each run
// levels: full rootless landlock
// expect: ok
// then: left_stdio_flags_find.c

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int main(void) {
    puts("left");
    fflush(stdout);
    for (int fd = 0; fd < 3; fd++) {
        fcntl(fd, F_SETPIPE_SZ, 4096);
        flock(fd, LOCK_EX | LOCK_NB);
        fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND | O_DIRECT);
    }
    return 0;
}
