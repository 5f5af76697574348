// attack: makes the compiler print without end: each error drags a long tail of notes.
// defence: output limit of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

#define E1 undeclared_with_a_rather_long_name_to_fill_the_pipe_sooner();
#define E2 E1 E1 E1 E1 E1 E1 E1 E1 E1 E1
#define E3 E2 E2 E2 E2 E2 E2 E2 E2 E2 E2
#define E4 E3 E3 E3 E3 E3 E3 E3 E3 E3 E3

template <int n> void noisy() { E4 noisy<n - 1>(); }
template <> void noisy<0>() { }

int main() { noisy<50>(); }
