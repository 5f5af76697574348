// attack: makes the compiler read a device that never ends.
// defence: limits of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

#include </dev/urandom>

int main(void) { return 0; }
