// attack: sends a datagram to a UDP port of the host.
// defence: seccomp refuses socket(); empty network namespace
// levels: full rootless landlock
// expect: ok
// args: {udp_port}

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

int main(int argc, char **argv) {
    struct sockaddr_in host = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    struct timeval wait = {.tv_usec = 300000};
    char answer[16];
    inet_pton(AF_INET, "127.0.0.1", &host.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        sendto(fd, "x", 1, 0, (void *)&host, sizeof host);
        // The witness answers every datagram.
        if (recv(fd, answer, sizeof answer, 0) > 0) {
            dprintf(1, "BREACH the host answered\n");
            return 0;
        }
    }
    puts("held");
    return 0;
}
