// attack: a daemon swaps a result for a link to a host file, over and over, to win against a fetcher that checks first.
// defence: the tree is dead before fetching starts; fetching opens without following links
// levels: full rootless landlock
// expect: ok
// args: {secret_file} {left_name}
// fetch: prize
// fetched: prize

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct timespec start, now;
    close(open("prize", O_CREAT | O_WRONLY, 0644));
    symlink(argv[1], "swap");
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_NAME, argv[2]);
        clock_gettime(CLOCK_MONOTONIC, &start);
        do {
            renameat2(AT_FDCWD, "prize", AT_FDCWD, "swap", RENAME_EXCHANGE);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec - start.tv_sec < 10);
        _exit(0);
    }
    usleep(20000);
    puts("held");
    return 0;
}
