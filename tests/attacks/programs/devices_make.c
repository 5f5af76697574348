// attack: makes device nodes for the host's disk, memory and log in its own directory, and opens them.
// defence: seccomp and no capabilities (CAP_MKNOD); nodev working directory
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int main(void) {
    struct stat root;
    int held = 1;
    stat("/usr", &root);
    struct { const char *name; mode_t kind; dev_t number; } node[] = {
        {"disk", S_IFBLK, root.st_dev}, {"sda", S_IFBLK, makedev(8, 0)},      {"vda", S_IFBLK, makedev(254, 0)}, {"mem", S_IFCHR, makedev(1, 1)},
        {"kmsg", S_IFCHR, makedev(1, 11)}, {"loop", S_IFBLK, makedev(7, 0)}, {"tty", S_IFCHR, makedev(4, 0)},   {"kvm", S_IFCHR, makedev(10, 232)}};
    for (int i = 0; i < 8; i++) {
        if (mknod(node[i].name, node[i].kind | 0666, node[i].number)) continue;
        int fd = open(node[i].name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0) {
            dprintf(1, "BREACH made and opened the device %s\n", node[i].name);
            held = 0;
        }
        unlink(node[i].name);
    }
    if (held) puts("held");
    return 0;
}
