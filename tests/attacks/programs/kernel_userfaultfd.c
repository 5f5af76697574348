// attack: takes over page faults, the tool that makes races in the kernel easy to win.
// defence: seccomp; no /dev/userfaultfd
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1;
    if (syscall(SYS_userfaultfd, O_CLOEXEC) >= 0) held = !dprintf(1, "BREACH userfaultfd\n");
    if (syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */) >= 0) held = !dprintf(1, "BREACH userfaultfd of user mode\n");
    int fd = open("/dev/userfaultfd", O_RDWR);
    if (fd >= 0 && ioctl(fd, _IO(0xAA, 0), O_CLOEXEC) >= 0) held = !dprintf(1, "BREACH /dev/userfaultfd\n");
    if (held) puts("held");
    return 0;
}
