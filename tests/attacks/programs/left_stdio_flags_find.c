// attack: looks for flags that the run before set on the open files of its streams.
// defence: fresh pipes for each run
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>

int main(void) {
    int held = 1;
    for (int fd = 0; fd < 3; fd++) {
        int flags = fcntl(fd, F_GETFL);
        if (flags > 0 && flags & (O_NONBLOCK | O_DIRECT)) held = !dprintf(1, "BREACH descriptor %d has flags %#x\n", fd, flags);
    }
    if (held) puts("held");
    return 0;
}
