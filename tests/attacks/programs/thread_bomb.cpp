// attack: starts threads until the host has no more to give.
// defence: pids cgroup, RLIMIT_NPROC
// levels: full rootless landlock
// expect: process_limit_exceeded | runtime_error

#include <cstdio>
#include <system_error>
#include <thread>
#include <unistd.h>

int main() {
    for (int alive = 1; alive < 64; alive++) {
        try {
            std::thread([] { for (;;) pause(); }).detach();
        } catch (const std::system_error &) {
            _exit(1);
        }
    }
    usleep(300000);  // time enough for a watch to look
    dprintf(1, "BREACH 64 threads at a time under a limit of 32\n");
    _exit(0);
}
