// attack: looks for POSIX shared memory and semaphores that the run before left.
// defence: /dev/shm is the run's own tmpfs; at landlock it is not writable
// levels: full rootless landlock
// expect: ok

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void) {
    int held = 1;
    if (shm_open("/left-by-the-run-before", O_RDONLY, 0) >= 0) held = !dprintf(1, "BREACH shared memory of the run before\n");
    if (sem_open("/left-by-the-run-before", 0) != SEM_FAILED) held = !dprintf(1, "BREACH a semaphore of the run before\n");
    // Bare, the next try starts clean.
    shm_unlink("/left-by-the-run-before");
    sem_unlink("/left-by-the-run-before");
    if (held) puts("held");
    return 0;
}
