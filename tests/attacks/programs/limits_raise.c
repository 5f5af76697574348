// attack: raises its own limits again.
// defence: hard rlimits, no capabilities
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>

int main(void) {
    int held = 1;
    for (int what = 0; what < RLIM_NLIMITS; what++) {
        struct rlimit before, more, after;
        if (getrlimit(what, &before) || before.rlim_max == RLIM_INFINITY) continue;
        more.rlim_cur = more.rlim_max = before.rlim_max + 1;
        if (setrlimit(what, &more) == 0 && getrlimit(what, &after) == 0 && after.rlim_max > before.rlim_max) {
            dprintf(1, "BREACH hard limit %d raised\n", what);
            held = 0;
        }
    }
    if (held) puts("held");
    return 0;
}
