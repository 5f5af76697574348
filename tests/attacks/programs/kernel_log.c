// attack: reads the kernel's log, which tells addresses and what other programs did.
// defence: seccomp refuses syslog; no /dev/kmsg and /proc/kmsg; at landlock the rules of Landlock
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <stdio.h>
#include <sys/klog.h>
#include <unistd.h>

static char text[1 << 16];

int main(void) {
    int held = 1;
    if (klogctl(3 /* SYSLOG_ACTION_READ_ALL */, text, sizeof text) > 0) held = !dprintf(1, "BREACH read by syslog\n");
    if (klogctl(10 /* SYSLOG_ACTION_SIZE_BUFFER */, 0, 0) > 0) held = !dprintf(1, "BREACH asked by syslog\n");
    const char *path[] = {"/dev/kmsg", "/proc/kmsg", "/var/log/kern.log", "/var/log/dmesg"};
    for (int i = 0; i < 4; i++) {
        int fd = open(path[i], O_RDONLY | O_NONBLOCK);
        if (fd >= 0 && read(fd, text, sizeof text) > 0) {
            dprintf(1, "BREACH read %s\n", path[i]);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
