// attack: fills the disk with files of 1 MB.
// defence: size limit of the tmpfs; at landlock the watch on the working directory
// levels: full rootless landlock
// expect: disk_limit_exceeded

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

int main(void) {
    memset(block, 1, sizeof block);
    for (int mb = 0; mb < 64; mb++) {
        char name[16];
        snprintf(name, sizeof name, "fill-%d", mb);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (fd < 0 || write(fd, block, sizeof block) != sizeof block) return 1;
        close(fd);
    }
    usleep(300000);
    dprintf(1, "BREACH 64 MB on disk under a limit of 16\n");
    return 0;
}
