// attack: makes the assembler embed a host file into the program, which then prints it.
// defence: compilers run in the sandbox too, with its own root or rules
// levels: full rootless landlock
// expect: compile_error

#include <stdio.h>

__asm__(".data\n.global stolen\nstolen:\n.incbin \"/etc/shadow\"\n.byte 0\n.text\n");
extern const char stolen[];

int main(void) {
    dprintf(1, "BREACH %.20s\n", stolen);
    return 0;
}
