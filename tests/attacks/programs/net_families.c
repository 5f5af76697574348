// attack: tries every socket family and type, also with bits above the 32 that the kernel looks at.
// defence: seccomp refuses socket() as a whole, and socketpair() of anything but unix
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1, pair[2];
    for (long family = 0; family < 48; family++)
        for (long type = 1; type < 11; type++) {
            // A filter that compares 64 bits is blind to a number that differs in the upper half only.
            long fd = syscall(SYS_socket, family, type, 0);
            if (fd < 0) fd = syscall(SYS_socket, family | 1L << 32, type, 0);
            if (fd < 0) fd = syscall(SYS_socket, family, type | 1L << 33, 0);
            if (fd < 0 && family != AF_UNIX && syscall(SYS_socketpair, family, type, 0, pair) == 0) fd = pair[0];
            if (fd < 0) continue;
            if (held) dprintf(1, "BREACH socket family %ld type %ld\n", family, type);
            held = 0;
            close(fd);
        }
    if (held) puts("held");
    return 0;
}
