// attack: hoards memory as files, in every directory that is kept in memory.
// defence: size limit of the tmpfs, shared by all its places; at landlock only the working directory is writable, and watched
// levels: full rootless landlock
// expect: disk_limit_exceeded | memory_limit_exceeded

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

int main(void) {
    const char *place[] = {".", "/tmp", "/dev/shm", "/run", "/var/tmp"};
    int mb = 0;
    memset(block, 1, sizeof block);
    for (int i = 0; i < 5; i++)
        for (int n = 0; n < 64; n++) {
            char path[64];
            snprintf(path, sizeof path, "%s/hoard-%d", place[i], n);
            int fd = open(path, O_CREAT | O_WRONLY, 0600);
            if (fd < 0) break;
            int whole = write(fd, block, sizeof block) == sizeof block;
            close(fd);
            if (!whole) break;
            if (++mb == 64) {
                usleep(300000);
                dprintf(1, "BREACH 64 MB of files under a limit of 16\n");
                return 0;
            }
        }
    return 1;
}
