// attack: looks in the kernel's keyrings for the key of the run before.
// defence: seccomp
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/keyctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int held = 1;
    int ring[] = {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING};
    for (int i = 0; i < 3; i++) {
        long key = syscall(SYS_keyctl, KEYCTL_SEARCH, ring[i], "user", "left-by-the-run-before", 0);
        if (key < 0) continue;
        dprintf(1, "BREACH the key of the run before\n");
        syscall(SYS_keyctl, KEYCTL_UNLINK, key, ring[i]);
        held = 0;
    }
    if (syscall(SYS_request_key, "user", "left-by-the-run-before", 0, 0) >= 0) held = !dprintf(1, "BREACH request_key\n");
    if (held) puts("held");
    return 0;
}
