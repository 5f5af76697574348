// attack: makes system calls with the x32 bit, which a filter that compares numbers does not know.
// defence: seccomp refuses numbers with the x32 bit
// levels: full rootless landlock
// expect: ok | runtime_error

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1;
#ifdef __x86_64__
    long bit = 0x40000000;
    if (syscall(bit | SYS_getpid) == getpid()) held = !dprintf(1, "BREACH an x32 getpid\n");
    if (syscall(bit | SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0) held = !dprintf(1, "BREACH an x32 socket\n");
    if (syscall(bit | SYS_unshare, 0x10000000) >= 0) held = !dprintf(1, "BREACH an x32 unshare\n");
    // The numbers of x32 alone, where ptrace and others lie.
    if (syscall(bit | 521 /* ptrace */, 16, getppid(), 0, 0) == 0) held = !dprintf(1, "BREACH an x32 ptrace\n");
#endif
    if (held) puts("held");
    return 0;
}
