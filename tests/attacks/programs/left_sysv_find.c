// attack: looks for SysV shared memory, messages and semaphores that the run before left.
// defence: seccomp lets nobody make any
// levels: full rootless landlock
// expect: ok

#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void) {
    int held = 1;
    int memory = shmget(0x434a, 0, 0), queue = msgget(0x434a, 0), semaphores = semget(0x434a, 0, 0);
    if (memory >= 0) held = !dprintf(1, "BREACH shared memory of the run before\n");
    if (queue >= 0) held = !dprintf(1, "BREACH messages of the run before\n");
    if (semaphores >= 0) held = !dprintf(1, "BREACH semaphores of the run before\n");
    // Bare, the next try starts clean.
    shmctl(memory, IPC_RMID, 0);
    msgctl(queue, IPC_RMID, 0);
    semctl(semaphores, 0, IPC_RMID);
    if (held) puts("held");
    return 0;
}
