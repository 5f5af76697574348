// attack: stops its whole process group, hoping that the keeper is in it.
// defence: own session for each run; pid namespace, Landlock signal scope
// levels: full rootless landlock
// expect: wall_limit_exceeded
// limits: wall_s=1

#include <signal.h>
#include <unistd.h>

int main(void) {
    fork();
    kill(0, SIGSTOP);
    for (;;) pause();
}
