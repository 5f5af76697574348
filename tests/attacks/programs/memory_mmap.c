// attack: takes memory with mmap, locked and populated in one call each.
// defence: memory cgroup, else the watch on the tree's memory
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    for (int mb = 0; mb < 512; mb += 16) {
        // MAP_LOCKED may be refused by RLIMIT_MEMLOCK; the memory itself is still to be had.
        char *p = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_LOCKED, -1, 0);
        if (p == MAP_FAILED) p = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return 1;
        memset(p, 1, 16 << 20);
    }
    usleep(300000);
    dprintf(1, "BREACH 512 MB under a limit of 128\n");
    return 0;
}
