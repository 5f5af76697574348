// attack: fills the disk with files that it has unlinked: no directory shows them.
// defence: size limit of the tmpfs; at landlock a watch that counts open files too
// levels: full rootless landlock
// expect: disk_limit_exceeded | runtime_error

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

int main(void) {
    memset(block, 1, sizeof block);
    for (int mb = 0; mb < 64; mb++) {
        int fd = open("fill", O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd < 0 || unlink("fill") || write(fd, block, sizeof block) != sizeof block) return 1;
    }
    usleep(300000);
    dprintf(1, "BREACH 64 MB in unlinked files under a limit of 16\n");
    return 0;
}
