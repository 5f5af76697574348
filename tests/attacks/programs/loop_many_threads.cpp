// attack: twenty threads spin at once, so that the limit falls while all of them run.
// defence: CPU limit of the whole tree, SIGKILL to the whole tree
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1

#include <thread>

int main() {
    for (int i = 0; i < 20; i++)
        std::thread([] { for (volatile unsigned n = 0;; n++) { } }).detach();
    for (volatile unsigned n = 0;; n++) { }
}
