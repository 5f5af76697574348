// attack: types into the terminal that the tester sits at (TIOCSTI), also with bits above the 32 that the kernel looks at.
// defence: seccomp looks at the low 32 bits of ioctl's request; own session; no terminal is handed in
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int fd[] = {0, 1, 2, open("/dev/tty", O_RDWR | O_NONBLOCK)}, held = 1;
    char byte = ' ', paste[] = {3 /* paste the selection */};
    for (int i = 0; i < 4; i++) {
        if (fd[i] < 0) continue;
        if (syscall(SYS_ioctl, fd[i], (long)TIOCSTI, &byte) == 0) held = !dprintf(1, "BREACH typed into descriptor %d\n", fd[i]);
        if (syscall(SYS_ioctl, fd[i], (long)TIOCSTI | 1L << 32, &byte) == 0) held = !dprintf(1, "BREACH typed past the filter\n");
        if (syscall(SYS_ioctl, fd[i], (long)TIOCLINUX, paste) == 0) held = !dprintf(1, "BREACH pasted into descriptor %d\n", fd[i]);
        if (ioctl(fd[i], TIOCSCTTY, 1) == 0) held = !dprintf(1, "BREACH took the terminal\n");
    }
    if (held) puts("held");
    return 0;
}
