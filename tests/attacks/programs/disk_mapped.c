// attack: fills the disk by storing into mapped sparse files, with no write() to count.
// defence: size limit of the tmpfs; at landlock RLIMIT_FSIZE and the watch on the working directory
// levels: full rootless landlock
// expect: disk_limit_exceeded

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    for (int mb = 0; mb < 64; mb += 8) {
        char name[16];
        snprintf(name, sizeof name, "fill-%d", mb);
        int fd = open(name, O_CREAT | O_RDWR, 0600);
        if (fd < 0 || ftruncate(fd, 8 << 20)) return 1;
        char *p = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED) return 1;
        memset(p, 1, 8 << 20);  // a full tmpfs answers with SIGBUS
        msync(p, 8 << 20, MS_SYNC);  // without it a disk may not have made room yet
    }
    usleep(300000);
    dprintf(1, "BREACH 64 MB in mapped files under a limit of 16\n");
    return 0;
}
