// attack: leaves a daemon behind by double fork and setsid, with the output still open.
// defence: pid namespace ends with its init; at landlock the tree is tracked, killed and reaped
// levels: full rootless landlock
// expect: ok
// args: {left_name}

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int ready[2];
    char byte;
    pipe(ready);
    if (fork() == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        for (int sig = 1; sig < 65; sig++) signal(sig, SIG_IGN);
        prctl(PR_SET_NAME, argv[1]);  // the runner looks for this name on the host afterwards
        write(ready[1], "x", 1);
        usleep(700000);
        dprintf(1, "BREACH the daemon outlived its run\n");
        sleep(20);
        _exit(0);
    }
    read(ready[0], &byte, 1);
    puts("held");
    return 0;
}
