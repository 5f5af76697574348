/* What the two halves of box.so have of each other: zygote.c, which waits and forks, and script.c, which runs a script.
 * Objects of Python are void pointers. */
#pragma once

/* `rehearse` does what every script does, `name` is called for a program with arguments or variables of its own, `compile`
 * makes the bytes that its code object can be had from, without a word about what it does not like, `unload`
 * takes the script's modules out of sys.modules and returns them, `settle` flushes what is still open; the last three are
 * modules. */
struct script {
    void *path, *rehearse, *name, *compile, *unload, *settle, *threading, *atexit, *gc;
};

int python_call(void *function);                  /* without arguments; -1: it raised something */
void script_prepare(const struct script *script); /* before the first fork */
int script_run(const struct script *script);      /* never returns, unless this is no interpreter that we know: -1 */
int zygote_called(int within_ms);                 /* whether the word to go comes within so many milliseconds */
int zygote_start(int *code);
