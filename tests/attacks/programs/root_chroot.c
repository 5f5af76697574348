// attack: the classic way out of a chroot: chroot into a directory while standing outside it, then climb.
// defence: seccomp; no capabilities (CAP_SYS_CHROOT); pivoted root
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char byte;
    int held = 1;
    mkdir("jail", 0700);
    int outside = open(".", O_RDONLY | O_DIRECTORY);
    if (chroot("jail") == 0) {
        dprintf(1, "BREACH chroot is allowed\n");
        held = 0;
        fchdir(outside);
        for (int i = 0; i < 64; i++) chdir("..");
        chroot(".");
    }
    int fd = open(argv[1], O_RDONLY);
    if (fd >= 0 && read(fd, &byte, 1) == 1) {
        dprintf(1, "BREACH read a file outside\n");
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
