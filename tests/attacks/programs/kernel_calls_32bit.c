// attack: enters the kernel by int 0x80, where calls have other numbers than the filter expects.
// defence: seccomp checks the architecture of each call
// levels: full rootless landlock
// expect: ok | runtime_error

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
    return result;
}
#endif

int main(void) {
    int held = 1;
#ifdef __x86_64__
    if (call(20 /* getpid */, 0, 0, 0) == getpid()) held = !dprintf(1, "BREACH a 32-bit getpid\n");
    if ((int)call(359 /* socket */, 2, 1, 0) >= 0) held = !dprintf(1, "BREACH a 32-bit socket\n");
    unsigned *args = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (args != MAP_FAILED) {
        args[0] = 2;
        args[1] = 1;
        args[2] = 0;
        if ((int)call(102 /* socketcall */, 1, (long)args, 0) >= 0) held = !dprintf(1, "BREACH a 32-bit socketcall\n");
    }
    if ((int)call(310 /* unshare */, 0x10000000, 0, 0) >= 0) held = !dprintf(1, "BREACH a 32-bit unshare\n");
#endif
    if (held) puts("held");
    return 0;
}
