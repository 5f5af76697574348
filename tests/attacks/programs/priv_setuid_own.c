// attack: gives a copy of itself the setuid bit, another owner or file capabilities, and starts it.
// defence: no capabilities; nosuid working directory; no_new_privs
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "copy")) return geteuid() != getuid() || getegid() != getgid() ? 42 : 0;
    struct stat me;
    int in = open("/proc/self/exe", O_RDONLY), out = open("copy", O_CREAT | O_WRONLY, 0700), held = 1;
    fstat(in, &me);
    for (off_t left = me.st_size; left > 0;) {
        ssize_t n = sendfile(out, in, 0, left);
        if (n <= 0) return 1;
        left -= n;
    }
    close(out);
    int other = getuid() == 0 ? 1 : 0;
    // Version 2 of the attribute, CAP_SYS_ADMIN and all the others permitted and effective.
    unsigned caps[] = {0x02000001, ~0u, 0, ~0u, 0};
    if (chown("copy", other, other) == 0) {
        dprintf(1, "BREACH gave a file away\n");
        held = 0;
    }
    if (setxattr("copy", "security.capability", caps, sizeof caps, 0) == 0) {
        dprintf(1, "BREACH gave a file capabilities\n");
        held = 0;
    }
    chmod("copy", 06755);
    pid_t pid = fork();
    if (pid == 0) {
        execl("./copy", "copy", "copy", (char *)0);
        _exit(0);
    }
    int how = 0;
    waitpid(pid, &how, 0);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 42) {
        dprintf(1, "BREACH the copy runs as somebody else\n");
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
