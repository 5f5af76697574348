// attack: changes mode, owner, times and attributes of a host file, which Landlock has no rights for.
// defence: own root; at landlock seccomp or a uid that owns nothing
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
    // By effect, not by what the call says: a sandbox may pretend. The last step puts the mode back.
    struct stat was, now;
    if (stat(secret, &was) < 0) memset(&was, 0, sizeof was);
    mode_t other = (was.st_mode ^ 0100) & 07777;
#define TRY(how, call) do { (void)!(call); \
        judge(how, stat(secret, &now) == 0 && now.st_mode != was.st_mode ? 0 : -1); \
        (void)!chmod(secret, was.st_mode & 07777); } while (0)
    TRY("chmod", chmod(secret, other));
    TRY("fchmodat", fchmodat(AT_FDCWD, secret, other, 0));
    TRY("fchmodat2", syscall(452, AT_FDCWD, secret, other, 0));
    judge("chown", chown(secret, -1, -1));
    judge("lchown", lchown(secret, -1, -1));
    struct timespec times[2] = {{1, 0}, {1, 0}}, back[2] = {was.st_atim, was.st_mtim};
    (void)!utimensat(AT_FDCWD, secret, times, 0);
    judge("utimensat", stat(secret, &now) == 0 && now.st_mtim.tv_sec == 1 ? 0 : -1);
    (void)!utimensat(AT_FDCWD, secret, back, 0);
    judge("setxattr", setxattr(secret, "user.codejury", "x", 1, 0));
    removexattr(secret, "user.codejury");
    int fd = open(secret, O_PATH);
    if (fd >= 0) {
        char name[32];
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        TRY("chmod of a path descriptor", chmod(name, other));
    }
    if (held) puts("held");
    return 0;
}
