// attack: leaves its cgroup, makes one of its own, lifts the limits, and plants a release agent.
// defence: no /sys/fs/cgroup in its root; at landlock the rules of Landlock (there is no cgroup to leave, but others' to harm)
// levels: full rootless landlock
// expect: ok

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int held = 1;

static void breach(const char *path) {
    dprintf(1, "BREACH %s\n", path);
    held = 0;
}

static void attack(const char *group) {
    char path[512], value[256];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    int fd = open(path, O_WRONLY);
    if (fd >= 0 && write(fd, "0", 1) == 1) breach(path);
    if (fd >= 0) close(fd);
    snprintf(path, sizeof path, "%s/attack", group);
    if (mkdir(path, 0755) == 0) {
        breach(path);
        rmdir(path);
    }
    // What was read is written back: a hole shows, and nothing changes.
    const char *knob[] = {"memory.max", "pids.max", "memory.limit_in_bytes", "release_agent", "notify_on_release", "cgroup.subtree_control"};
    for (int k = 0; k < 6; k++) {
        snprintf(path, sizeof path, "%s/%s", group, knob[k]);
        fd = open(path, O_RDWR);
        ssize_t n = fd < 0 ? -1 : read(fd, value, sizeof value);
        if (n > 0 && pwrite(fd, value, n, 0) == n) breach(path);
        if (fd >= 0) close(fd);
    }
}

int main(void) {
    char path[512];
    attack("/sys/fs/cgroup");
    DIR *all = opendir("/sys/fs/cgroup");
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "/sys/fs/cgroup/%s", entry->d_name);
            attack(path);
        }
    if (held) puts("held");
    return 0;
}
