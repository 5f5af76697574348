// attack: ends its main thread and hoards in another: the process looks like a zombie without memory to a careless watch.
// defence: memory cgroup, else a watch that looks at threads
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *hoard(void *unused) {
    usleep(50000);  // let the leader die first
    for (int mb = 0; mb < 512; mb += 4) {
        char *volatile p = malloc(4 << 20);  // volatile: or the compiler may drop it
        if (!p) _exit(1);
        memset(p, 1, 4 << 20);
    }
    usleep(300000);
    dprintf(1, "BREACH 512 MB behind a dead leader under a limit of 128\n");
    _exit(0);
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, 0, hoard, 0)) return 1;
    pthread_exit(0);
}
