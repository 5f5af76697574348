// attack: sets the host's clock.
// defence: seccomp; no capabilities (CAP_SYS_TIME)
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

int main(void) {
    struct timeval now;
    struct timespec fine;
    struct timex tune;
    int held = 1;
    // To the time that it is: an open door shows without harm.
    gettimeofday(&now, 0);
    if (settimeofday(&now, 0) == 0) held = !dprintf(1, "BREACH settimeofday\n");
    clock_gettime(CLOCK_REALTIME, &fine);
    if (clock_settime(CLOCK_REALTIME, &fine) == 0) held = !dprintf(1, "BREACH clock_settime\n");
    memset(&tune, 0, sizeof tune);
    if (adjtimex(&tune) >= 0) {
        tune.modes = ADJ_FREQUENCY;
        if (adjtimex(&tune) >= 0) held = !dprintf(1, "BREACH adjtimex\n");
    }
    if (held) puts("held");
    return 0;
}
