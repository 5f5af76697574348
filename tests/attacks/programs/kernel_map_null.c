// attack: maps the page at address 0, the first half of many exploits of the kernel.
// defence: vm.mmap_min_addr; no capabilities (CAP_SYS_RAWIO)
// levels: full rootless landlock
// expect: ok

#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>

int main(void) {
    personality(MMAP_PAGE_ZERO);
    void *p = mmap((void *)0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (p == (void *)0) dprintf(1, "BREACH page 0 is mapped\n");
    else puts("held");
    return 0;
}
