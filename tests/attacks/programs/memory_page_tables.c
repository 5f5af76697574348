// attack: reads one byte of every 2 MB of a huge empty mapping: each costs a page table, none counts as resident.
// defence: memory cgroup (it is charged page tables), else a watch that adds them
// levels: full rootless landlock
// expect: memory_limit_exceeded | runtime_error
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    size_t step = 2 << 20, all = (size_t)256 << 30;
    char *p = mmap(0, all, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return 1;
    madvise(p, all, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < all; at += step) (void)*(volatile char *)(p + at);
    usleep(300000);
    char line[256];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmPTE:", 6)) kb = atol(line + 6);
    if (kb > 2 * 128 * 1024) dprintf(1, "BREACH %ld MB of page tables under a limit of 128\n", kb / 1024);
    return 1;
}
