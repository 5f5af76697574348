// attack: fills a shared mapping and drops its own page tables after each piece: the memory stays, resident size does not.
// defence: memory cgroup, else a watch that also counts shared mappings
// levels: full rootless landlock
// expect: memory_limit_exceeded
// limits: memory_mb=128

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 8 << 20, PIECES = 64 };

int main(void) {
    char *all = mmap(0, (size_t)PIECE * PIECES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return 1;
    for (int i = 0; i < PIECES; i++) {
        memset(all + (size_t)i * PIECE, 1, PIECE);
        madvise(all + (size_t)i * PIECE, PIECE, MADV_DONTNEED);  // of a shared mapping it drops the view only
    }
    usleep(300000);
    int standing = 0;
    for (int i = 0; i < PIECES; i++) standing += all[(size_t)i * PIECE + PIECE / 2];
    dprintf(1, "BREACH %d MB hidden under a limit of 128\n", standing * 8);
    return 0;
}
