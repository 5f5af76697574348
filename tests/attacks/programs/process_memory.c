// attack: reads and writes the memory of process 1, its parent and a host process (process_vm_readv, process_vm_writev).
// defence: seccomp; pid namespace
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int pids[] = {1, getppid(), atoi(argv[1])}, held = 1;
    char byte = 0;
    for (int i = 0; i < 3; i++) {
        if (pids[i] <= 0) continue;
        struct iovec mine = {&byte, 1}, theirs = {(void *)0x400000, 1};
        // EFAULT comes after the right to look was checked: the address was wrong, the door was open.
        if (process_vm_readv(pids[i], &mine, 1, &theirs, 1, 0) >= 0 || errno == EFAULT) {
            dprintf(1, "BREACH reads the memory of process %d\n", pids[i]);
            held = 0;
        }
        theirs.iov_base = (void *)0x10;  // never mapped, so that nothing is harmed
        if (process_vm_writev(pids[i], &mine, 1, &theirs, 1, 0) >= 0 || errno == EFAULT) {
            dprintf(1, "BREACH writes the memory of process %d\n", pids[i]);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
