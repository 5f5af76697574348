// attack: changes its uid, gid and groups, and takes capabilities back.
// defence: no capabilities; no_new_privs; a user namespace that maps one uid
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int held = 1;

static void judge(const char *how, int won) {
    if (!won) return;
    dprintf(1, "BREACH %s\n", how);
    held = 0;
}

int main(void) {
    // To whichever uid it is not: root, or anybody else's if it is root already.
    int other = getuid() == 0 ? 12345 : 0;
    judge("setgid", setgid(other) == 0 && getgid() == other);
    gid_t groups[] = {0, 4, 6, 27, 42};
    judge("setgroups", setgroups(5, groups) == 0);
    judge("setfsuid", (setfsuid(other), setfsuid(-1)) == other);
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct all[2] = {{~0u, ~0u, ~0u}, {0x1ff, 0x1ff, 0x1ff}};
    judge("capset", syscall(SYS_capset, &head, all) == 0);
    for (int cap = 0; cap < 41; cap++) {
        struct __user_cap_data_struct one[2] = {{0}};
        one[cap / 32].permitted = one[cap / 32].effective = 1u << cap % 32;
        judge("capset of one", syscall(SYS_capset, &head, one) == 0);
        judge("ambient capability", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) == 0);
        if (!held) break;
    }
    int map = open("/proc/self/uid_map", O_WRONLY);
    judge("uid_map", map >= 0 && write(map, "0 0 4294967295\n", 15) > 0);
    judge("setresuid", setresuid(other, other, other) == 0 && geteuid() == other);
    judge("setuid", setuid(other) == 0 && geteuid() == other);
    if (held) puts("held");
    return 0;
}
