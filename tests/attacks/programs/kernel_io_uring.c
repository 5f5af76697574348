// attack: makes system calls through io_uring, where no seccomp filter sees them.
// defence: seccomp refuses io_uring itself
// levels: full rootless landlock
// expect: ok

#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    if (syscall(SYS_io_uring_setup, 4, &params) >= 0) dprintf(1, "BREACH a ring of %u entries\n", params.sq_entries);
    else puts("held");
    return 0;
}
