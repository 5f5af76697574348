// attack: connects to a TCP port of the host, by IPv4 and by IPv4 mapped into IPv6.
// defence: seccomp refuses socket(); empty network namespace
// levels: full rootless landlock
// expect: ok
// args: {tcp_port}

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = four.sin_port};
    inet_pton(AF_INET, "127.0.0.1", &four.sin_addr);
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &six.sin6_addr);
    int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_INET6, SOCK_STREAM, 0);
    if ((a >= 0 && connect(a, (void *)&four, sizeof four) == 0) || (b >= 0 && connect(b, (void *)&six, sizeof six) == 0))
        dprintf(1, "BREACH connected to the host\n");
    else
        puts("held");
    return 0;
}
