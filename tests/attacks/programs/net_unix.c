// attack: connects to a unix socket of the host by its path.
// defence: seccomp refuses socket(); own root
// levels: full rootless landlock
// expect: ok
// args: {unix_path}

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char **argv) {
    struct sockaddr_un host = {.sun_family = AF_UNIX};
    strncpy(host.sun_path, argv[1], sizeof host.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (void *)&host, sizeof host) == 0) dprintf(1, "BREACH connected to the host\n");
    else puts("held");
    return 0;
}
