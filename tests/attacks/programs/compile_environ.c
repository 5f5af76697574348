// attack: makes the compiler quote the environment it runs in, and its stdin.
// defence: the environment is built from nothing for compilers too
// levels: full rootless landlock
// expect: compile_error

// The runner searches the compiler's words for its secret variable.
#include "/proc/self/environ"
#include "/proc/self/cmdline"
#include "/proc/1/environ"
#include "/dev/stdin"

int main(void) { return 0; }
