// attack: marks a file as immutable, so that nobody can remove it after the run.
// defence: no capabilities (CAP_LINUX_IMMUTABLE)
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void) {
    int fd = open("stone", O_CREAT | O_RDONLY, 0600), flags = 0, held = 1;
    int wish[] = {FS_IMMUTABLE_FL, FS_APPEND_FL};
    for (int i = 0; i < 2; i++) {
        if (ioctl(fd, FS_IOC_GETFLAGS, &flags)) continue;
        int with = flags | wish[i];
        if (ioctl(fd, FS_IOC_SETFLAGS, &with) || unlink("stone") == 0) continue;
        dprintf(1, "BREACH a file that cannot be removed\n");
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
        held = 0;
    }
    unlink("stone");
    if (held) puts("held");
    return 0;
}
