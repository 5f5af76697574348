// attack: floods stdout, ignoring a closed pipe.
// defence: output limit, drained while it runs
// levels: full rootless landlock
// expect: output_limit_exceeded

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 16];

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    memset(block, 'x', sizeof block);
    for (;;) write(1, block, sizeof block);
}
