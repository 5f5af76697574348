// attack: crashes with a large core allowed, to leave a dump on the host or to start its crash handler.
// defence: RLIMIT_CORE of 0 as hard limit
// levels: full rootless landlock
// expect: runtime_error
// fetch: core* *.core
// fetched: nothing

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int main(void) {
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    prctl(PR_SET_DUMPABLE, 1);
    if (setrlimit(RLIMIT_CORE, &core) == 0) dprintf(1, "BREACH a core dump may be written\n");
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = core.rlim_max;
    setrlimit(RLIMIT_CORE, &core);
    memset(malloc(1 << 20), 'x', 1 << 20);
    abort();
}
