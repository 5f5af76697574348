// attack: uses process 1 and its parent as a way out: their memory, root, working directory, descriptors, environment.
// defence: pid namespace with an init that is not dumpable or of another uid; at landlock only its own /proc entry is open
// levels: full rootless landlock
// expect: ok
// args: {secret_file}

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int held = 1;

static void breach(const char *path) {
    dprintf(1, "BREACH %s\n", path);
    held = 0;
}

int main(int argc, char **argv) {
    int pids[] = {1, getppid()};
    char path[4096], byte;
    for (int i = 0; i < 2; i++) {
        if (pids[i] <= 0) continue;
        const char *door[] = {"root", "cwd/../../../.."};
        for (int d = 0; d < 2; d++) {
            snprintf(path, sizeof path, "/proc/%d/%s%s", pids[i], door[d], argv[1]);
            int fd = open(path, O_RDONLY);
            if (fd >= 0 && read(fd, &byte, 1) == 1) breach(path);
        }
        const char *content[] = {"environ", "auxv", "maps", "syscall", "stack"};
        for (int c = 0; c < 5; c++) {
            snprintf(path, sizeof path, "/proc/%d/%s", pids[i], content[c]);
            int fd = open(path, O_RDONLY);
            if (fd >= 0 && read(fd, &byte, 1) == 1) breach(path);
        }
        const char *write_to[] = {"mem", "oom_score_adj", "coredump_filter", "clear_refs", "uid_map", "setgroups", "comm"};
        for (int w = 0; w < 7; w++) {
            snprintf(path, sizeof path, "/proc/%d/%s", pids[i], write_to[w]);
            if (open(path, O_RDWR) >= 0 || open(path, O_WRONLY) >= 0) breach(path);
        }
        for (int fd = 0; fd < 64; fd++) {
            snprintf(path, sizeof path, "/proc/%d/fd/%d", pids[i], fd);
            if (open(path, O_RDONLY | O_NONBLOCK) >= 0 || open(path, O_WRONLY | O_NONBLOCK) >= 0) breach(path);
        }
    }
    if (held) puts("held");
    return 0;
}
