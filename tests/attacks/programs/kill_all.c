// attack: kill(-1, SIGKILL), which reaches every process that the kernel lets it.
// defence: pid namespace; at landlock the signal scope of Landlock (Linux 6.12)
// levels: full rootless landlock
// expect: ok
// args: {host_pid}

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    // A process of the host within reach is the breach already; to go on would only take the tester along.
    if (kill(atoi(argv[1]), 0) == 0 || (getppid() > 1 && kill(getppid(), 0) == 0)) {
        dprintf(1, "BREACH kill(-1) would reach the host\n");
        return 0;
    }
    kill(-1, SIGSTOP);
    kill(-1, SIGKILL);
    puts("held");
    return 0;
}
