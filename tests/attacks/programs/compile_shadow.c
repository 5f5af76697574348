// attack: makes the compiler quote the host's passwords in its messages.
// defence: compilers run in the sandbox too, with its own root or rules
// levels: full rootless landlock
// expect: compile_error

#include "/etc/shadow"

int main(void) { return 0; }
