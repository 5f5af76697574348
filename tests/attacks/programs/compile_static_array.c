// attack: an initialised array of 10 GB, which would be 10 GB of object file.
// defence: disk and memory limit of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

char bomb[10000000000] = {1};

int main(int argc, char **argv) { return bomb[argc]; }
