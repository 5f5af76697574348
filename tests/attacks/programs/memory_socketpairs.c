// attack: hoards memory in the buffers of socket pairs, spread over many processes; it is nobody's resident memory.
// defence: memory cgroup (charged for sockets); else a count of sockets by the watch, or seccomp
// levels: full rootless landlock
// expect: ok | memory_limit_exceeded
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static char block[1 << 15];

int main(void) {
    volatile long *total = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int full[2];
    char byte;
    pipe(full);
    for (int child = 0; child < 24; child++) {
        if (fork() != 0) continue;
        int ends[2];
        while (*total < 512L << 20 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0)
            for (int end = 0; end < 2; end++)
                for (ssize_t n; (n = write(ends[end], block, sizeof block)) > 0;) __sync_fetch_and_add(total, n);
        write(full[1], "x", 1);
        for (;;) pause();
    }
    close(full[1]);
    for (int child = 0; child < 24 && read(full[0], &byte, 1) == 1; child++) { }
    usleep(300000);
    if (*total > 2 * (128L << 20)) dprintf(1, "BREACH %ld MB in sockets under a limit of 128\n", *total >> 20);
    else puts("held");
    return 0;
}
