// attack: a file that includes itself twice, to a depth of two hundred.
// defence: limits of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

#if __INCLUDE_LEVEL__ < 190
#include __FILE__
#include __FILE__
#else
int x;
#endif
