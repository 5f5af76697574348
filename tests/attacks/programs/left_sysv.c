// attack: leaves SysV shared memory, a message and semaphores for the next run.
// defence: seccomp lets nobody make any
// levels: full rootless landlock
// expect: ok
// then: left_sysv_find.c

#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void) {
    struct { long kind; char text[8]; } message = {1, "left"};
    int id = shmget(0x434a, 4096, IPC_CREAT | 0666);
    char *p = id < 0 ? (char *)-1 : shmat(id, 0, 0);
    if (p != (char *)-1) strcpy(p, "left");
    int queue = msgget(0x434a, IPC_CREAT | 0666);
    if (queue >= 0) msgsnd(queue, &message, 8, IPC_NOWAIT);
    semget(0x434a, 1, IPC_CREAT | 0666);
    puts("left");
    return 0;
}
