// attack: reads the memory of the kernel and of the machine, and the kernel's addresses.
// defence: masked or missing files, no capabilities; at landlock the rules of Landlock
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    int held = 1;
    char byte, line[512];
    const char *path[] = {"/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/kpagecount", "/proc/kpageflags", "/proc/vmcore",
                          "/sys/kernel/notes", "/sys/firmware/acpi/tables/DSDT", "/sys/kernel/debug/kmemleak", "/proc/slabinfo", "/proc/vmallocinfo"};
    for (int i = 0; i < 12; i++) {
        int fd = open(path[i], O_RDONLY);
        if (fd < 0 || read(fd, &byte, 1) != 1) continue;
        dprintf(1, "BREACH read %s\n", path[i]);
        held = 0;
    }
    FILE *symbols = fopen("/proc/kallsyms", "r");
    while (symbols && fgets(line, sizeof line, symbols))
        if (strtoull(line, 0, 16)) {  // zeros are what the kernel shows to those who may not know
            held = !dprintf(1, "BREACH addresses of the kernel\n");
            break;
        }
    // Which physical page backs which address: only for CAP_SYS_ADMIN, others read zeros.
    unsigned long long entry = 0;
    int map = open("/proc/self/pagemap", O_RDONLY);
    if (map >= 0 && pread(map, &entry, 8, (unsigned long)&line / 4096 * 8) == 8 && entry & ((1ULL << 55) - 1)) held = !dprintf(1, "BREACH physical addresses\n");
    if (held) puts("held");
    return 0;
}
