// attack: takes huge pages, which most memory cgroups do not count, and locks the rest.
// defence: none reserved for it, RLIMIT_MEMLOCK, memory cgroup or watch
// levels: full rootless landlock
// expect: ok | memory_limit_exceeded
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    size_t all = 512 << 20;
    char *p = mmap(0, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p != MAP_FAILED) {
        memset(p, 1, all);
        usleep(300000);
        dprintf(1, "BREACH 512 MB of huge pages under a limit of 128\n");
        return 0;
    }
    p = mmap(0, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED && mlock(p, all) == 0) {
        usleep(300000);
        dprintf(1, "BREACH 512 MB locked under a limit of 128\n");
        return 0;
    }
    puts("held");
    return 0;
}
