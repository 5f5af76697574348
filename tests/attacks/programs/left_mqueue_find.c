// attack: looks for a POSIX queue that the run before left.
// defence: seccomp lets nobody make any
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>

int main(void) {
    if (mq_open("/left-by-the-run-before", O_RDONLY) >= 0) dprintf(1, "BREACH the queue of the run before\n");
    else puts("held");
    mq_unlink("/left-by-the-run-before");  // bare, the next try starts clean
    return 0;
}
