// attack: opens the host's devices: disks, memory, virtual machines, tunnels, terminals, user-space file systems.
// defence: a /dev with null, zero, full, random and urandom only; at landlock the rules of Landlock
// levels: full rootless landlock
// expect: ok

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int held = 1;

static void attack(const char *path) {
    // Read-only and non-blocking is enough to show the hole, and moves nothing.
    if (open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) < 0) return;
    dprintf(1, "BREACH opened %s\n", path);
    held = 0;
}

int main(void) {
    const char *usual[] = {"/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/loop0", "/dev/vda", "/dev/sda",
                           "/dev/nvme0n1", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/vsock", "/dev/vhost-net", "/dev/hwrng", "/dev/uinput",
                           "/dev/dri/card0", "/dev/nvidia0", "/dev/snapshot", "/dev/mapper/control", "/dev/input/event0", "/dev/vcs", "/dev/rtc0"};
    for (int i = 0; i < 25; i++) attack(usual[i]);
    // A pseudo-terminal is a way to talk to others too, unless the instance is the run's own.
    DIR *terminals = opendir("/dev/pts");
    for (struct dirent *entry; terminals && (entry = readdir(terminals));) {
        char path[300];
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "ptmx")) continue;
        snprintf(path, sizeof path, "/dev/pts/%s", entry->d_name);
        attack(path);
    }
    if (held) puts("held");
    return 0;
}
