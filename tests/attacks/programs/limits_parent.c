// attack: takes descriptors, file size and CPU time from its parent with prlimit, to break the keeper.
// defence: seccomp (prlimit only of oneself), other uid or capabilities of the parent
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct rlimit none = {0, 0}, old = {1, 2}, now;
    int held = 1;
    // The host's witness is only asked, then given back what it had: it serves later attacks too.
    pid_t host = atoi(argv[1]);
    if (prlimit(host, RLIMIT_NOFILE, 0, &old) == 0 && old.rlim_max != 2 && prlimit(host, RLIMIT_NOFILE, &old, 0) == 0) {
        dprintf(1, "BREACH limits of a host process can be set\n");
        held = 0;
    }
    pid_t parent = getppid();
    if (parent > 0) {
        int what[] = {RLIMIT_CORE, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_CPU};
        for (int i = 0; i < 5; i++)
            if (prlimit(parent, what[i], &none, 0) == 0 && prlimit(parent, what[i], 0, &now) == 0 && now.rlim_cur == 0) {
                dprintf(1, "BREACH limit %d of the parent is now 0\n", what[i]);
                held = 0;
            }
    }
    if (held) puts("held");
    return 0;
}
