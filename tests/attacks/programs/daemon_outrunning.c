// attack: its children fork a successor and die, over and over, to outrun whoever kills the tree one by one.
// defence: pid namespace ends with its init; at landlock the tree is frozen or starved of forks, then killed
// levels: full rootless landlock
// expect: ok
// args: {left_name}

#include <stdio.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    signal(SIGCHLD, SIG_IGN);
    for (int runner = 0; runner < 4; runner++) {
        if (fork() != 0) continue;
        setsid();
        prctl(PR_SET_NAME, argv[1]);
        do {  // ends by itself after 10 s, so that a hole does not haunt the tester's machine
            if (fork() > 0) _exit(0);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec - start.tv_sec < 10);
        _exit(0);
    }
    usleep(50000);
    puts("held");
    return 0;
}
