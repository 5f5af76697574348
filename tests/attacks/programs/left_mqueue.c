// attack: leaves a message in a POSIX queue for the next run.
// defence: seccomp lets nobody make any
// levels: full rootless landlock
// expect: ok
// then: left_mqueue_find.c

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>

int main(void) {
    mqd_t queue = mq_open("/left-by-the-run-before", O_CREAT | O_RDWR | O_NONBLOCK, 0666, 0);
    if (queue >= 0) mq_send(queue, "left", 4, 0);
    puts("left");
    return 0;
}
