// attack: takes mounts away, to see what lies under masks and read-only directories.
// defence: seccomp; no capabilities; mounts locked together by the user namespace
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

int main(void) {
    char place[128][256];
    int n = 0, held = 1;
    const char *usual[] = {"/", "/proc", "/sys", "/dev", "/tmp", "/etc", "/usr", "/lib", "/proc/sys", "/proc/kcore", "/dev/shm", "."};
    for (; n < 12; n++) strcpy(place[n], usual[n]);
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    for (struct mntent *m; mounts && n < 128 && (m = getmntent(mounts)); n++) snprintf(place[n], 256, "%s", m->mnt_dir);
    for (int i = n - 1; i >= 0; i--)
        if (umount2(place[i], MNT_DETACH) == 0 || umount2(place[i], MNT_FORCE) == 0 || umount(place[i]) == 0) {
            dprintf(1, "BREACH unmounted %s\n", place[i]);
            held = 0;
        }
    if (held) puts("held");
    return 0;
}
