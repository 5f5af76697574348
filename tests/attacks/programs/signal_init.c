// attack: sends every signal to process 1, whose death would end the run from inside.
// defence: pid namespace (its init gets no signal from within that it has no handler for); Landlock signal scope
// levels: full rootless landlock
// expect: ok

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (kill(1, SIGURG) == 0 && getppid() > 1) {
        // Somebody else is the parent, so process 1 is the host's: stop before harm is done.
        dprintf(1, "BREACH the host's init took a signal\n");
        return 0;
    }
    if (getppid() <= 1)
        for (int round = 0; round < 20; round++)
            for (int sig = 1; sig < 65; sig++) kill(1, sig);
    usleep(100000);
    puts("held");
    return 0;
}
