// attack: offers a file of 2 GB that takes no space, so that whoever fetches it runs out of memory.
// defence: RLIMIT_FSIZE; fetching stops at the disk limit
// levels: full rootless landlock
// expect: ok | runtime_error | disk_limit_exceeded
// fetch: giant
// fetched: giant

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    signal(SIGXFSZ, SIG_IGN);
    int fd = open("giant", O_CREAT | O_RDWR, 0644);
    ftruncate(fd, 2L << 30);
    pwrite(fd, "x", 1, (2L << 30) - 1);
    puts("held");  // the runner looks at how much came back
    return 0;
}
