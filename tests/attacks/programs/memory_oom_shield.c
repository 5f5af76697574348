// attack: forbids the kernel to choose it when memory runs out, so that others die in its place.
// defence: no capabilities (CAP_SYS_RESOURCE)
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY);
    if (fd >= 0 && write(fd, "-1000", 5) == 5) dprintf(1, "BREACH safe from the OOM killer\n");
    else puts("held");
    return 0;
}
