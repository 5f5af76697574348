// attack: opens host files by handle (name_to_handle_at, open_by_handle_at), past every mount and path.
// defence: seccomp, no capabilities (CAP_DAC_READ_SEARCH)
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    struct { struct file_handle head; unsigned char bytes[128]; } handle;
    const char *anchor[] = {".", "/", "/usr", "/etc/passwd", "/usr/lib"};
    int held = 1, mount_id;
    for (int i = 0; i < 5; i++) {
        int at = open(anchor[i], O_RDONLY);
        if (at < 0) continue;
        memset(&handle, 0, sizeof handle);
        handle.head.handle_bytes = sizeof handle.bytes;
        int fd = -1;
        if (name_to_handle_at(AT_FDCWD, anchor[i], &handle.head, &mount_id, 0) == 0)
            fd = open_by_handle_at(at, &handle.head, O_RDONLY);
        if (fd < 0) {  // inode 2 is the root directory of an ext file system
            unsigned ino[2] = {2, 0};
            handle.head.handle_bytes = 8;
            handle.head.handle_type = 1;
            memcpy(handle.head.f_handle, ino, 8);
            fd = open_by_handle_at(at, &handle.head, O_RDONLY | O_DIRECTORY);
        }
        if (fd >= 0) {
            dprintf(1, "BREACH opened by handle from %s\n", anchor[i]);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
