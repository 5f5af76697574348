// attack: takes the lock-down back: no_new_privs off, seccomp off, its own memory map rewritten, securebits changed.
// defence: the kernel offers no way back; no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
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
    prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
    judge("no_new_privs is off", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED);
    syscall(SYS_seccomp, 99, 0, 0);
    judge("securebits", prctl(PR_SET_SECUREBITS, 0x2f) == 0);
    judge("bounding set", prctl(PR_CAPBSET_DROP, 0) == 0);
    // Moving the end of the code is only for CAP_SYS_RESOURCE.
    judge("memory map", prctl(PR_SET_MM, PR_SET_MM_BRK, 0x10000, 0, 0) == 0);
    char line[256];
    int filtered = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) filtered |= !strncmp(line, "Seccomp:\t2", 10);
    judge("no seccomp filter", !filtered);
    if (held) puts("held");
    return 0;
}
