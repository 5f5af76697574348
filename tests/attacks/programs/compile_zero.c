// attack: makes the compiler read endless zeros, which stay within a single line.
// defence: limits of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

#include "/dev/zero"

int main(void) { return 0; }
