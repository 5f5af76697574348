// attack: uses up inodes with empty files, which need no disk space.
// defence: inode limit of the tmpfs; memory cgroup; at landlock the watch on the working directory, else the CPU limit
// levels: full rootless landlock
// expect: disk_limit_exceeded | memory_limit_exceeded | time_limit_exceeded
// limits: cpu_s=1

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    // The kernel keeps about 1 kB for each: so many would be past the memory limit too.
    for (int n = 0; n < 300000; n++) {
        char name[16];
        snprintf(name, sizeof name, "i%d", n);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        if (fd < 0) return 1;
        close(fd);
    }
    dprintf(1, "BREACH 300000 files\n");
    return 0;
}
