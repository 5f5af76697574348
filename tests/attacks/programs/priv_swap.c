// attack: adds a file of its own as swap space, to read there what the kernel writes out, and takes quotas off.
// defence: seccomp; no capabilities (CAP_SYS_ADMIN)
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/quota.h>
#include <sys/swap.h>
#include <unistd.h>

static char page[4096];

int main(void) {
    int fd = open("swap", O_CREAT | O_RDWR, 0600), held = 1;
    unsigned head[] = {1, 255};  // version, last page
    memcpy(page + 1024, head, sizeof head);
    memcpy(page + 4096 - 10, "SWAPSPACE2", 10);
    write(fd, page, sizeof page);
    memset(page, 0, sizeof page);
    for (int i = 0; i < 255; i++) write(fd, page, sizeof page);
    fsync(fd);
    if (swapon("swap", 0) == 0) {
        held = !dprintf(1, "BREACH swapon\n");
        swapoff("swap");
    }
    // Syncs all quotas, which changes nothing and needs no privilege: it shows whether the filter lets the call through.
    if (quotactl(QCMD(Q_SYNC, USRQUOTA), 0, 0, 0) == 0) held = !dprintf(1, "BREACH quotactl\n");
    if (quotactl(QCMD(Q_QUOTAOFF, USRQUOTA), "/", 0, 0) == 0) held = !dprintf(1, "BREACH quotas are off\n");
    if (held) puts("held");
    return 0;
}
