// attack: recurses without end on a stack that may be as large as the memory limit.
// defence: RLIMIT_STACK, memory cgroup or watch
// levels: full rootless landlock
// expect: runtime_error | memory_limit_exceeded
// limits: memory_mb=128

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

static __attribute__((noinline)) int deeper(int mb) {
    char frame[1 << 20];
    memset(frame, mb, sizeof frame);
    if (mb == 512) {
        usleep(300000);
        dprintf(1, "BREACH 512 MB of stack under a limit of 128\n");
        _exit(0);
    }
    sink = deeper(mb + 1);
    return sink + frame[sink & 1023];
}

int main(void) {
    return deeper(1);
}
