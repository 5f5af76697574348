// attack: replaces its own executable, hoping that the next run of the same source gets it from a cache.
// defence: cached programs are out of the run's reach, each run has a copy or a read-only view
// levels: full rootless landlock
// expect: ok
// then: left_own_binary.c

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    static const char poison[] = "#!/bin/sh\necho BREACH poisoned by the run before\n";
    char self[4096] = "", fresh[4200];
    readlink("/proc/self/exe", self, sizeof self - 1);
    // In place is mostly refused (ETXTBSY); a new file under the old name is not.
    int fd = open(self, O_WRONLY);
    if (fd >= 0) write(fd, poison, sizeof poison - 1);
    chmod(self, 0777);
    snprintf(fresh, sizeof fresh, "%s.new", self);
    fd = open(fresh, O_CREAT | O_WRONLY, 0777);
    if (fd >= 0) {
        write(fd, poison, sizeof poison - 1);
        close(fd);
        rename(fresh, self);
    }
    // By another name too, in case the program is found through a link.
    unlink(self);
    fd = open(self, O_CREAT | O_WRONLY, 0777);
    if (fd >= 0) write(fd, poison, sizeof poison - 1);
    puts("left");
    return 0;
}
