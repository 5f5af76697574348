// attack: looks whether the run before has weakened the address space of those that follow.
// defence: seccomp, or a fresh process for each run
// levels: full rootless landlock
// expect: ok

#include <stdio.h>
#include <sys/personality.h>

int main(void) {
    int now = personality(0xffffffff);
    if (now > 0) dprintf(1, "BREACH the personality is %#x\n", now);  // below 0: the question was refused
    else puts("held");
    return 0;
}
