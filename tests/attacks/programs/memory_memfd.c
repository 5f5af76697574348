// attack: hoards memory in files without a name (memfd_create, memfd_secret).
// defence: seccomp; memory cgroup
// levels: full rootless landlock
// expect: ok | memory_limit_exceeded
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char block[1 << 20];

int main(void) {
    memset(block, 1, sizeof block);
    int fd = memfd_create("hoard", 0), mb = 0;
    while (fd >= 0 && mb < 512 && write(fd, block, sizeof block) == sizeof block) mb++;
    if (mb == 512) {
        usleep(300000);
        dprintf(1, "BREACH 512 MB in a memfd under a limit of 128\n");
        return 0;
    }
    int secret = syscall(447 /* memfd_secret */, 0);
    if (secret >= 0 && ftruncate(secret, 512 << 20) == 0) {
        char *p = mmap(0, 512 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, secret, 0);
        if (p != MAP_FAILED) {
            memset(p, 1, 512 << 20);
            dprintf(1, "BREACH 512 MB in a memfd_secret under a limit of 128\n");
            return 0;
        }
    }
    puts("held");
    return 0;
}
