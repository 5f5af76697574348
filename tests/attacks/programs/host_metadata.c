// attack: changes mode, owner, times and attributes of a host file, which Landlock has no rights for.
// defence: own root; at landlock seccomp or a uid that owns nothing
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, long result) {
    if (result != 0) return;
    dprintf(1, "BREACH %s\n", how);
    held = 0;
}

int main(int argc, char **argv) {
    const char *secret = argv[1];
    // What is set is what was there: a hole shows, and the witness stays as it is.
    judge("chmod", chmod(secret, 0644));
    judge("fchmodat", fchmodat(AT_FDCWD, secret, 0644, 0));
    judge("fchmodat2", syscall(452, AT_FDCWD, secret, 0644, 0));
    judge("chown", chown(secret, -1, -1));
    judge("lchown", lchown(secret, -1, -1));
    struct stat was;
    if (stat(secret, &was) == 0) {
        struct timespec times[2] = {was.st_atim, was.st_mtim};
        judge("utimensat", utimensat(AT_FDCWD, secret, times, 0));
    }
    judge("setxattr", setxattr(secret, "user.codejury", "x", 1, 0));
    removexattr(secret, "user.codejury");
    int fd = open(secret, O_PATH);
    if (fd >= 0) {
        char name[32];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        judge("chmod of a path descriptor", chmod(name, 0644));
    }
    if (held) puts("held");
    return 0;
}
