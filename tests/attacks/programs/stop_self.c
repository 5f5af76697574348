// attack: stops itself, so that it neither runs nor ends.
// defence: wall-clock backstop, SIGKILL
// levels: full rootless landlock
// expect: wall_limit_exceeded
// limits: wall_s=1

#include <signal.h>

int main(void) {
    raise(SIGSTOP);
    return 0;
}
