// attack: makes siblings instead of children (CLONE_PARENT), which whoever started the run has to reap.
// defence: pid namespace ends with its init, which reaps whatever comes; at landlock the keeper does
// levels: full rootless landlock
// expect: ok
// args: {left_name}

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int ready[2];
    char byte;
    pipe(ready);
    for (int i = 0; i < 10; i++) {
        // Every other one dies at once, and would stay behind as a zombie.
        if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) != 0) continue;
        prctl(PR_SET_NAME, argv[1]);
        write(ready[1], "x", 1);
        if (i % 2) sleep(20);
        _exit(7);
    }
    close(ready[1]);
    for (int i = 0; i < 10 && read(ready[0], &byte, 1) == 1; i++) { }
    puts("held");
    return 0;
}
