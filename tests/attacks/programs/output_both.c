// attack: two processes flood stdout and stderr at once with single bytes and large blocks.
// defence: output limit of each stream, both drained while it runs
// levels: full rootless landlock
// expect: output_limit_exceeded

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 16];

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    memset(block, 'x', sizeof block);
    if (fork() == 0) for (;;) write(2, block, sizeof block);
    for (;;) write(1, block, 1 + (block[0]++ & 1) * 4095);
}
