// attack: looks for descriptors that were left open by whoever started it: files, directories, control pipes.
// defence: all but 0, 1, 2 are closed before untrusted code starts
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int held = 1;
    char target[256], link[32], byte;
    for (int fd = 0; fd < 65536; fd++) {
        if (fcntl(fd, F_GETFD) < 0) continue;
        int inside = openat(fd, argv[1] + 1, O_RDONLY);  // works if it is an open "/" of the host
        if (inside >= 0 && read(inside, &byte, 1) == 1) {
            dprintf(1, "BREACH descriptor %d leads to the host's root\n", fd);
            held = 0;
        }
        if (inside >= 0) close(inside);
        if (fd < 3) continue;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = 0;
        dprintf(1, "BREACH descriptor %d was left open: %s\n", fd, target);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
