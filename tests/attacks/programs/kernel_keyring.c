// attack: stores and reads keys in the kernel's keyrings, which belong to a uid and not to a run.
// defence: seccomp
// levels: full rootless landlock
// expect: ok
// then: kernel_keyring_find.c

#define _GNU_SOURCE
#include <linux/keyctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int ring[] = {KEY_SPEC_THREAD_KEYRING, KEY_SPEC_PROCESS_KEYRING, KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING};
    int held = 1;
    for (int i = 0; i < 5; i++)
        if (syscall(SYS_add_key, "user", "left-by-the-run-before", "x", 1, ring[i]) >= 0) {
            dprintf(1, "BREACH a key in keyring %d\n", ring[i]);
            held = 0;
        }
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "attack") >= 0) {
        dprintf(1, "BREACH a session keyring\n");
        held = 0;
    }
    if (held) puts("held");
    return 0;
}
