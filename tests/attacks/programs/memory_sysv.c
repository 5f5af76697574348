// attack: hoards memory in SysV segments that it touches and detaches.
// defence: seccomp; ipc namespace, memory cgroup
// levels: full rootless landlock
// expect: ok | memory_limit_exceeded
// limits: memory_mb=128

#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

int main(void) {
    int id[32], n = 0;
    for (; n < 32; n++) {
        if ((id[n] = shmget(IPC_PRIVATE, 16 << 20, IPC_CREAT | 0600)) < 0) break;
        char *p = shmat(id[n], 0, 0);
        if (p == (char *)-1) break;
        memset(p, 1, 16 << 20);
        shmdt(p);
    }
    if (n == 32) {
        usleep(300000);
        dprintf(1, "BREACH 512 MB in SysV segments under a limit of 128\n");
    }
    for (int i = 0; i < n; i++) shmctl(id[i], IPC_RMID, 0);
    if (n < 32) puts("held");
    return 0;
}
