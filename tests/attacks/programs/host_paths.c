// attack: climbs out of its root with .., magic links and every flavour of open.
// defence: pivoted root; at landlock the rules of Landlock
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, int fd) {
    char byte;
    if (fd < 0 || read(fd, &byte, 1) != 1) return;
    dprintf(1, "BREACH read a host file by %s\n", how);
    held = 0;
}

int main(int argc, char **argv) {
    const char *secret = argv[1];
    const char *prefix[] = {"", "../../../../../../../../..", "/proc/self/root", "/proc/self/cwd/../../../../../../..", "/proc/1/root",
                            "/proc/1/cwd/../../../..", "/proc/self/task/1/root", "/..", "/dev/fd/../../root", "/proc/thread-self/root"};
    char path[8192];
    for (unsigned i = 0; i < sizeof prefix / sizeof *prefix; i++) {
        snprintf(path, sizeof path, "%s%s", prefix[i], secret);
        judge(path, open(path, O_RDONLY));
        struct open_how how = {.flags = O_RDONLY};
        judge(path, syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
    }
    // Up by descriptors: a directory that is moved while one stands in it once led out of roots.
    mkdir("a", 0700);
    mkdir("a/b", 0700);
    int inner = open("a/b", O_RDONLY | O_DIRECTORY), up = inner;
    rename("a/b", "c");
    for (int i = 0; i < 32 && up >= 0; i++) up = openat(up, "..", O_RDONLY | O_DIRECTORY);
    if (up < 0) up = open("/", O_PATH);  // at landlock a directory may not be read, but stood in
    judge("openat ..", openat(up, secret + 1, O_RDONLY));
    if (chdir("/") == 0) judge("chdir /", open(secret + 1, O_RDONLY));
    if (held) puts("held");
    return 0;
}
