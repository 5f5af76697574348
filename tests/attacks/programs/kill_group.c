// attack: kills its whole process group, hoping that the keeper is in it.
// defence: own session for each run; pid namespace, Landlock signal scope
// levels: full rootless landlock
// expect: runtime_error

#include <signal.h>
#include <unistd.h>

int main(void) {
    kill(0, SIGKILL);
    for (;;) pause();
}
