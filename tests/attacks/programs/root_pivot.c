// attack: changes its root with pivot_root, on whatever it can use as a mount point.
// defence: seccomp; no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    mkdir("new", 0700);
    mount("new", "new", 0, MS_BIND, 0);
    mkdir("new/old", 0700);
    const char *tries[][2] = {{"new", "new/old"}, {".", "."}, {"/tmp", "/tmp"}, {"/proc", "/proc"}, {"/usr", "/usr"}, {"/dev", "/dev"}};
    for (int i = 0; i < 6; i++) {
        if (i == 1) chdir("new");
        if (syscall(SYS_pivot_root, tries[i][0], tries[i][1]) == 0) {
            dprintf(1, "BREACH pivot_root to %s\n", tries[i][0]);
            return 0;
        }
    }
    puts("held");
    return 0;
}
