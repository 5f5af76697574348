// attack: closes every descriptor, so that its output looks finished, then loops.
// defence: CPU limit; the end of a run is the end of the tree, not of its pipes
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1

#include <unistd.h>

int main(void) {
    for (int fd = 0; fd < 65536; fd++) close(fd);
    for (volatile unsigned i = 0;; i++) { }
}
