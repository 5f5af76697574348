// attack: changes its own read-only code through /proc/self/mem: harmless, and must stay so for the next run of the same program.
// defence: the change is private to the process; the program's file is not touched
// levels: full rootless landlock
// expect: ok
// then: own_memory.c

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const volatile char word[] __attribute__((section(".rodata"))) = "clean";

int main(void) {
    if (word[0] != 'c') {
        dprintf(1, "BREACH the run before changed this program\n");
        return 0;
    }
    int fd = open("/proc/self/mem", O_RDWR);
    if (fd >= 0) pwrite(fd, "spoil", 5, (off_t)(unsigned long)word);
    puts("held");
    return 0;
}
