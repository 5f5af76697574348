// attack: stops and kills its parent, which may be the keeper.
// defence: pid namespace; Landlock signal scope
// levels: full rootless landlock
// expect: ok

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    pid_t parent = getppid();
    int deadly[] = {SIGTERM, SIGSTOP, SIGCHLD, SIGALRM, SIGXCPU, SIGKILL};
    if (parent > 0)  // 0: the parent is outside the namespace, nobody to aim at (and kill(0) is ourselves)
        for (int i = 0; i < 6; i++) kill(parent, deadly[i]);
    usleep(100000);
    // A return of 0 is no proof: a namespace's init swallows signals. A new parent is.
    dprintf(1, getppid() == parent ? "held\n" : "BREACH the parent is dead\n");
    return 0;
}
