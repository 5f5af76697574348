// attack: an endless loop.
// defence: CPU limit
// levels: full rootless landlock
// expect: time_limit_exceeded
// limits: cpu_s=1

int main(void) {
    for (volatile unsigned i = 0;; i++) { }
}
