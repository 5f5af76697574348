// attack: makes symbolic and hard links to a host file in its working directory and reads through them.
// defence: own root; at landlock the rules of Landlock, which look at the real file
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int held = 1;

static void try(const char *how, int made, const char *path) {
    char byte;
    if (made != 0) return;
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, &byte, 1) == 1) {
        dprintf(1, "BREACH read a host file through a %s\n", how);
        held = 0;
    }
    unlink(path);
}

int main(int argc, char **argv) {
    const char *secret = argv[1];
    char up[4096];
    try("symbolic link", symlink(secret, "soft"), "soft");
    snprintf(up, sizeof up, "../../../../../../../..%s", secret);
    try("relative symbolic link", symlink(up, "up"), "up");
    snprintf(up, sizeof up, "/proc/self/root%s", secret);
    try("link through /proc/self/root", symlink(up, "proc"), "proc");
    try("hard link", link(secret, "hard"), "hard");
    int fd = open(secret, O_PATH);
    if (fd >= 0) {
        char name[32];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        try("hard link from a path descriptor", linkat(AT_FDCWD, name, AT_FDCWD, "magic", AT_SYMLINK_FOLLOW), "magic");
        try("hard link from an empty path", linkat(fd, "", AT_FDCWD, "empty", AT_EMPTY_PATH), "empty");
        try("path descriptor", symlink(name, "opath"), "opath");
    }
    if (rename(secret, "stolen") == 0) {
        dprintf(1, "BREACH moved a host file in\n");
        rename("stolen", secret);
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
