// attack: connects to an abstract unix socket of the host, which no file system guards.
// defence: seccomp refuses socket(); empty network namespace; at landlock also its scope (Linux 6.12)
// levels: full rootless landlock
// expect: ok
// args: {abstract_name}

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char **argv) {
    struct sockaddr_un host = {.sun_family = AF_UNIX};
    strncpy(host.sun_path + 1, argv[1], sizeof host.sun_path - 2);
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(argv[1]);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (void *)&host, size) == 0) dprintf(1, "BREACH connected to the host\n");
    else puts("held");
    return 0;
}
