// attack: ignores and blocks every signal it can, SIGTERM and SIGXCPU first, then loops.
// defence: CPU limit ended by SIGKILL
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1

#include <signal.h>

int main(void) {
    sigset_t all;
    for (int sig = 1; sig < 65; sig++) signal(sig, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    for (volatile unsigned i = 0;; i++) { }
}
