// attack: makes itself the reaper of orphans, so that its daemons never come back to the keeper, then is killed.
// defence: pid namespace ends with its init; at landlock the tree is tracked, killed and reaped
// levels: full rootless landlock
// expect: runtime_error
// args: {left_name}

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int ready[2];
    char byte;
    pipe(ready);
    if (fork() == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int child = 0; child < 5; child++)
            if (fork() == 0) {
                setsid();
                if (fork() != 0) _exit(0);
                prctl(PR_SET_NAME, argv[1]);
                write(ready[1], "x", 1);
                sleep(20);
                _exit(0);
            }
        sleep(20);
        _exit(0);
    }
    for (int child = 0; child < 5; child++) read(ready[0], &byte, 1);
    raise(SIGKILL);
}
