// attack: sleeps, which costs no CPU time, to hold the worker.
// defence: wall-clock backstop
// levels: full rootless landlock
// expect: wall_limit_exceeded
// limits: wall_s=1

#include <signal.h>
#include <unistd.h>

int main(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    for (;;) pause();
}
