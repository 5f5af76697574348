// attack: leaves POSIX shared memory and semaphores for the next run.
// defence: /dev/shm is the run's own tmpfs; at landlock it is not writable
// levels: full rootless landlock
// expect: ok
// then: left_shm_find.c

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    int fd = shm_open("/left-by-the-run-before", O_CREAT | O_RDWR, 0666);
    if (fd >= 0 && ftruncate(fd, 4096) == 0) {
        char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED) strcpy(p, "left");
        fchmod(fd, 0666);
    }
    sem_open("/left-by-the-run-before", O_CREAT, 0666, 7);
    puts("left");
    return 0;
}
