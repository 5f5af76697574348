// attack: takes memory from the heap and touches it until something gives.
// defence: memory cgroup, else the watch on the tree's memory
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#include <cstdio>
#include <cstring>
#include <unistd.h>

static char *volatile hoard;  // volatile: a compiler may drop memory that nobody looks at

int main() {
    for (int mb = 0; mb < 512; mb += 4) {
        hoard = new char[4 << 20];
        memset(hoard, 1, 4 << 20);
    }
    usleep(300000);  // four times the limit stands: time enough for a watch to look
    dprintf(1, "BREACH 512 MB under a limit of 128\n");
}
