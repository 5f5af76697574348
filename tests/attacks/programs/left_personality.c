// attack: turns address randomisation off with personality, hoping that the next run inherits it.
// defence: seccomp, or a fresh process for each run; the personality ends with the process
// levels: full rootless landlock
// expect: ok
// then: left_personality_find.c

#include <stdio.h>
#include <sys/personality.h>

int main(void) {
    personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | ADDR_COMPAT_LAYOUT);
    puts("left");
    return 0;
}
